import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseEndpoint,
  type Endpoint,
  type IncomingModel,
  type ModelChoice,
  secretsOf,
} from '../../src/model/endpoint.ts';
import { keyRedaction } from '../../src/model/key-redaction.ts';
import { isLocalHost } from '../../src/model/local-host.ts';

const INCOMING: ModelChoice = { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' };
const CONFIG: ModelChoice = { ...INCOMING, source: 'config' };
const CLAUDE: IncomingModel = { model: 'claude-sonnet-4-5', dialect: 'anthropic' };
const GPT: IncomingModel = { model: 'gpt-4.1', dialect: 'openai-chat' };
const KEYS = { ANTHROPIC_API_KEY: 'key-of-anthropic', OPENAI_API_KEY: 'key-of-openai' };

function endpoint(...given: Parameters<typeof chooseEndpoint>): Endpoint {
  const chosen = chooseEndpoint(...given);
  if (chosen.kind === 'missing') throw new Error(chosen.reason);
  return chosen.endpoint;
}

function reason(...given: Parameters<typeof chooseEndpoint>): string {
  const chosen = chooseEndpoint(...given);
  return chosen.kind === 'missing' ? chosen.reason : '';
}

describe('incoming: the transcript’s own model with the key of the environment', () => {
  test('each vendor’s models are asked at their vendor', () => {
    expect(endpoint(INCOMING, CLAUDE, KEYS)).toMatchObject({
      wire: 'anthropic',
      model: 'claude-sonnet-4-5',
      baseUrl: 'https://api.anthropic.com',
      key: 'key-of-anthropic',
      auth: 'x-api-key',
      official: true,
    });
    for (const dialect of ['openai-chat', 'openai-responses']) {
      expect(endpoint(INCOMING, { ...GPT, dialect }, KEYS)).toMatchObject({
        wire: 'openai-chat',
        model: 'gpt-4.1',
        baseUrl: 'https://api.openai.com/v1',
        key: 'key-of-openai',
        auth: 'bearer',
      });
    }
  });

  test('names of routers, Bedrock and Vertex become the provider’s own', () => {
    const names = [
      ['anthropic/claude-sonnet-4.5', 'openai-chat', 'claude-sonnet-4-5'],
      ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'bedrock', 'claude-sonnet-4-20250514'],
      ['claude-opus-4-1@20250805', 'anthropic', 'claude-opus-4-1-20250805'],
      ['openai/gpt-4.1-mini', 'openai-chat', 'gpt-4.1-mini'],
      ['openrouter/openai/o3', 'openai-chat', 'o3'],
    ] as const;
    for (const [model, dialect, expected] of names) {
      expect(endpoint(INCOMING, { model, dialect }, KEYS).model).toBe(expected);
    }
  });

  test('an address for the transcript’s wire is a gateway: it gets the recorded name as it is', () => {
    const variables = { ...KEYS, OPENAI_BASE_URL: 'http://localhost:4000' };
    const recorded = { model: 'anthropic/claude-sonnet-4.5', dialect: 'openai-chat' };
    expect(endpoint(INCOMING, recorded, variables)).toMatchObject({
      wire: 'openai-chat',
      model: 'anthropic/claude-sonnet-4.5',
      baseUrl: 'http://localhost:4000/v1',
      key: 'key-of-openai',
    });
    const anthropic = { ANTHROPIC_BASE_URL: 'https://gateway.example/anthropic/v1/' };
    expect(
      endpoint(INCOMING, CLAUDE, { ...anthropic, ANTHROPIC_AUTH_TOKEN: 'a-token' }),
    ).toMatchObject({
      baseUrl: 'https://gateway.example/anthropic',
      key: 'a-token',
      auth: 'bearer',
      official: false,
    });
  });

  test('no name, no key and a vendor without a wire are told apart', () => {
    expect(reason(INCOMING, { ...CLAUDE, model: undefined }, KEYS)).toContain('--assume-model');
    expect(reason(INCOMING, CLAUDE, {})).toContain('set ANTHROPIC_API_KEY');
    expect(reason(INCOMING, GPT, {})).toContain('set OPENAI_API_KEY');
    const gemini = { model: 'gemini-2.5-pro', dialect: 'gemini' };
    expect(reason(INCOMING, gemini, KEYS)).toContain('OPENAI_BASE_URL');
  });

  test('a model, an address and a key of the block itself come first', () => {
    const block = { ...INCOMING, model: 'm', base_url: 'http://10.0.0.7:8000/v1', api_key: 'own' };
    expect(endpoint(block, GPT, KEYS)).toMatchObject({
      wire: 'openai-chat',
      model: 'm',
      baseUrl: 'http://10.0.0.7:8000/v1',
      key: 'own',
    });
    expect(endpoint({ ...INCOMING, provider: 'openai' }, CLAUDE, KEYS).wire).toBe('openai-chat');
  });
});

describe('config: what the block says', () => {
  test('the provider decides the wire, `auth` how the key is sent', () => {
    const block = { ...CONFIG, model: 'small', base_url: 'https://gateway.example', api_key: 'k' };
    expect(endpoint({ ...block, auth: 'bearer' }, GPT, KEYS)).toMatchObject({
      wire: 'anthropic',
      auth: 'bearer',
      key: 'k',
      model: 'small',
    });
    expect(endpoint({ ...block, provider: 'openai' }, CLAUDE, KEYS).wire).toBe('openai-chat');
  });

  test('it never takes the transcript’s model', () => {
    expect(reason(CONFIG, CLAUDE, KEYS)).toContain('CHEAP_MODEL');
  });

  test('servers of the own network need no key; others do', () => {
    const local = { ...CONFIG, provider: 'openai', model: 'llama3', api_key: undefined } as const;
    for (const base_url of ['http://localhost:11434', 'http://vllm:8000/v1', 'http://[::1]:8080']) {
      expect(endpoint({ ...local, base_url }, GPT, {})).not.toHaveProperty('key');
    }
    const message = reason({ ...local, base_url: 'https://gateway.example/v1' }, GPT, {});
    expect(message).toContain('no key for gateway.example: set CHEAP_MODEL_KEY or OPENAI_API_KEY');
  });

  test('addresses with and without the path that the SDK adds', () => {
    const given = [
      ['openai', 'http://h.lan:1', 'http://h.lan:1/v1'],
      ['openai', 'http://h.lan:1/v1/chat/completions', 'http://h.lan:1/v1'],
      ['openai', 'http://h.lan:1/openai/v1/', 'http://h.lan:1/openai/v1'],
      ['anthropic', 'http://h.lan:1/v1/messages', 'http://h.lan:1'],
      ['anthropic', 'http://h.lan:1/', 'http://h.lan:1'],
    ] as const;
    for (const [provider, base_url, expected] of given) {
      expect(endpoint({ ...CONFIG, model: 'm', provider, base_url }, GPT, {}).baseUrl).toBe(
        expected,
      );
    }
  });

  test('what cannot be sent is said beforehand, without showing it', () => {
    const block = { ...CONFIG, model: 'm', base_url: 'http://localhost:1' };
    expect(reason({ ...block, base_url: 'ftp://localhost' }, GPT, {})).toContain('ftp:');
    expect(reason({ ...block, base_url: 'http://h/?key=abc' }, GPT, {})).toContain('query');
    const split = reason({ ...block, api_key: 'two words-of-key' }, GPT, {});
    expect(split).toContain('no header can carry');
    expect(split).not.toContain('words-of-key');
    expect(endpoint({ ...block, api_key: ' key\n' }, GPT, {}).key).toBe('key');
    const both = { ...block, base_url: 'http://me:pass@h', api_key: 'k', auth: 'bearer' } as const;
    expect(reason(both, GPT, {})).toContain('user name');
  });
});

test('a password in an address is used as a login and is a secret like any key', () => {
  const base_url = 'http://me:p%40ssword@localhost:8080/v1';
  const block: ModelChoice = { ...CONFIG, model: 'm', base_url };
  const found = endpoint(block, GPT, {});
  expect(found).toMatchObject({ login: 'me:p@ssword', baseUrl: 'http://localhost:8080' });
  expect(secretsOf([block], {})).toEqual(['p%40ssword', 'p@ssword', 'me:p@ssword']);
});

test('a token in the place of a user name is a secret; a mere name is none', () => {
  const of = (base_url: string) => secretsOf([{ ...CONFIG, base_url }], {});
  expect(of('http://t0ken-77@localhost:8080')).toEqual(['t0ken-77', 't0ken-77:']);
  expect(of('http://user@localhost:8080')).toEqual([]);
  expect(of('http://localhost:8080/user:none@here')).toEqual([]);
});

test('the login that a header carries is taken out of a text like a key', () => {
  const secrets = secretsOf([{ ...CONFIG, base_url: 'http://us%C3%A9r:pass%2Fword@h' }], {});
  const sent = Buffer.from('usér:pass/word').toString('base64');
  expect(keyRedaction(new Set(secrets)).whole(`Basic ${sent}`)).not.toContain(
    sent.replace(/=+$/, ''),
  );
});

test('every key of the blocks and of the environment is a secret', () => {
  const variables = {
    ...KEYS,
    CHEAP_MODEL_KEY: ' cheap ',
    ANTHROPIC_AUTH_TOKEN: 'token',
    HOME: '/',
  };
  const secrets = secretsOf([{ ...CONFIG, api_key: 'own' }], variables);
  expect(secrets.toSorted()).toEqual(
    ['cheap', 'key-of-anthropic', 'key-of-openai', 'own', 'token'].toSorted(),
  );
});

test('whatever is given, the outcome names no key, and an endpoint can be asked', () => {
  const KEY = 'planted-key-0123456789';
  const block = fc.record({
    source: fc.constantFrom('incoming' as const, 'config' as const),
    provider: fc.constantFrom('anthropic' as const, 'openai' as const),
    auth: fc.constantFrom('x-api-key' as const, 'bearer' as const),
    model: fc.option(fc.constantFrom('gpt-4.1', 'claude-3-haiku', 'mine'), { nil: undefined }),
    base_url: fc.option(
      fc.constantFrom(`http://u:${KEY}@h.example/x`, `https://h/?k=${KEY}`, 'http://h', 'nothing'),
      { nil: undefined },
    ),
    api_key: fc.option(fc.constantFrom(KEY, `${KEY} x`, `${KEY}\u00e9`, ''), { nil: undefined }),
  });
  const incoming = fc.record({
    model: fc.constantFrom('gpt-4.1', 'claude-3-haiku', 'gemini-2.5-pro', 'own', undefined),
    dialect: fc.constantFrom('anthropic', 'openai-chat', 'gemini', 'bedrock'),
  });
  const variables = fc.record(
    { ANTHROPIC_API_KEY: fc.constant(KEY), OPENAI_BASE_URL: fc.constant(`http://u:${KEY}@g`) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(block, incoming, variables, (choice, transcript, given) => {
      const chosen = chooseEndpoint(choice, transcript, given);
      if (chosen.kind === 'missing') {
        expect(chosen.reason).not.toContain(KEY);
        return;
      }
      const { baseUrl, host, model } = chosen.endpoint;
      expect(`${baseUrl} ${host} ${model}`).not.toContain(KEY);
      expect(new URL(baseUrl).host).toBe(host);
    }),
    { seed: 11, numRuns: 300 },
  );
});

test('which hosts are of the own network', () => {
  const local = [
    'localhost:1',
    '127.0.0.1',
    '10.1.2.3:80',
    '172.31.0.1',
    '192.168.1.1',
    '[::1]:8',
    'gpu',
    'a.local',
    '100.64.0.1',
    '[fd00::1]',
  ];
  const others = [
    'api.openai.com',
    '8.8.8.8',
    '172.32.0.1',
    '11.0.0.1',
    '[2001:db8::1]:80',
    'localhost.example.com',
    '100.128.0.1',
  ];
  expect(local.filter((host) => !isLocalHost(host))).toEqual([]);
  expect(others.filter(isLocalHost)).toEqual([]);
});

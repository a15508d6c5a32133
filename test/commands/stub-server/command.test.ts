import { describe, expect, test } from 'vitest';
import { cli, finished, start } from '../cli.ts';

describe('npm run stub-server', () => {
  test('says where it is, answers, misbehaves as it is told, and ends with Ctrl-C', async () => {
    const words = ['stub-server', '--fail', '529,ok', '--key', 'sk-secret-123', '--model'];
    const child = start([...words, 'stub-vague']);
    const end = finished(child);
    let told = '';
    child.stdout?.on('data', (text: string) => {
      told += text;
    });
    await expect.poll(() => told, { timeout: 20_000 }).toContain('/v1/chat/completions');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    const body = JSON.stringify({
      model: 'any',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Say something of this length' }],
    });
    const statuses: number[] = [];
    for (const key of ['sk-secret-123', 'sk-secret-123', 'sk-wrong-4']) {
      const headers = { 'x-api-key': key };
      const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
      statuses.push(response.status);
      if (response.status === 200) expect(await response.text()).not.toContain('length');
    }
    expect(statuses).toEqual([529, 200, 401]);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect(code).toBe(0);
    expect(stderr).toContain('POST /v1/messages → 529 (status)');
    expect(stderr).toContain('stopped after 3 requests');
    expect(stdout + stderr).not.toContain('sk-');
  }, 60_000);

  test('says what is wrong with an option', async () => {
    const wrong: readonly (readonly [string[], string])[] = [
      [['--port', '70000'], '--port 70000: expected a number'],
      [['--model', 'gpt-4.1'], 'expected one of stub, stub-vague'],
      [['--fail', '429,slo:5'], "no step 'slo:5'"],
    ];
    for (const [words, says] of wrong) {
      const { code, stderr } = await cli('stub-server', ...words);
      expect(code).toBe(2);
      expect(stderr).toContain(says);
    }
  });
});

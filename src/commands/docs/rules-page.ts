import { markdownTable } from '../../report/markdown.ts';
import type { Rule } from '../../shape/rule.ts';
import { rules } from '../../shape/validate.ts';
import { ownText } from './own-text.ts';

const providers = {
  any: 'Every dialect',
  anthropic: 'Anthropic Messages (`anthropic`)',
  'openai-chat': 'OpenAI Chat Completions (`openai-chat`)',
  'openai-responses': 'OpenAI Responses (`openai-responses`)',
  gemini: 'Gemini generateContent (`gemini`)',
  bedrock: 'Bedrock Converse (`bedrock`)',
} as const satisfies Record<Rule['provider'], string>;

const needs = {
  list: 'the message list',
  pair: 'the list before and after a rewrite',
  request: 'fields of the request body',
  bytes: 'the exact bytes',
} as const satisfies Record<Rule['needs'], string>;

/** `docs/rules.md`: every rule that a request is held against. */
export function rulesPage(): string[] {
  const count = rules.filter(({ severity }) => severity === 'error').length;
  return [
    '# Rules of the providers',
    '',
    `What \`npm run validate\`, the guard of the pipeline and the gate check: ${rules.length} rules, ${count} of them errors (the provider refuses the request) and ${rules.length - count} warnings. "By rewriting" says whether compacting a valid history can break the rule.`,
    ...Object.entries(providers).flatMap(([provider, title]) => [
      '',
      `## ${title}`,
      '',
      ...markdownTable(
        [
          { header: 'rule', align: 'left', cell: ({ id }: Rule) => `\`${id}\`` },
          { header: 'severity', align: 'left', cell: ({ severity }) => severity },
          { header: 'looks at', align: 'left', cell: (rule) => needs[rule.needs] },
          {
            header: 'by rewriting',
            align: 'left',
            cell: ({ rewriteCanBreak }) => (rewriteCanBreak ? 'yes' : 'no'),
          },
          { header: 'meaning', align: 'left', cell: (rule) => ownText(rule.explanation) },
          { header: 'usual fix', align: 'left', cell: ({ fix }) => ownText(fix) },
          {
            header: 'what the provider says',
            align: 'left',
            cell: (rule) => ownText(rule.providerError),
          },
          { header: 'source', align: 'left', cell: ({ source }) => ownText(source) },
        ],
        rules.filter((rule) => rule.provider === provider),
      ),
    ]),
  ];
}

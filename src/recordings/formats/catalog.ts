import { claudeCodeJsonl } from './claude-code-jsonl.ts';
import type { Format } from './format.ts';
import { llmRequestLog } from './llm-request-log.ts';
import { messageArrays } from './messages.ts';
import { tauBench } from './tau-bench.ts';

/** The formats that can be read, the most particular first: the first that recognizes a file reads it. */
export const formats: readonly Format[] = [tauBench, claudeCodeJsonl, llmRequestLog, messageArrays];

import { atif } from './atif.ts';
import { claudeCodeJsonl } from './claude-code-jsonl.ts';
import { claudeSdkStreamJson } from './claude-sdk-stream-json.ts';
import { clineMessages } from './cline-messages.ts';
import { codexRollout } from './codex-rollout.ts';
import type { Format } from './format.ts';
import { geminiCliChat } from './gemini-cli-chat.ts';
import { inspectEval } from './inspect-eval.ts';
import { intercode } from './intercode.ts';
import { langgraphThread } from './langgraph-thread.ts';
import { llmRequestLog } from './llm-request-log.ts';
import { messageArrays } from './messages.ts';
import { miniSweAgent } from './mini-swe-agent.ts';
import { normalized } from './normalized.ts';
import { openhandsV0Events } from './openhands-v0-events.ts';
import { openhandsV1Events } from './openhands-v1-events.ts';
import { otelTraces } from './otel-traces.ts';
import { piSession } from './pi-session.ts';
import { sweAgentTraj } from './swe-agent-traj.ts';
import { tauBench } from './tau-bench.ts';
import { tau2Bench } from './tau2-bench.ts';
import { whowhenMultiagent } from './whowhen-multiagent.ts';

/** The formats that can be read, the most particular first: the first that recognizes a file reads it. */
export const formats: readonly Format[] = [
  normalized,
  tauBench,
  tau2Bench,
  intercode,
  inspectEval,
  sweAgentTraj,
  miniSweAgent,
  atif,
  whowhenMultiagent,
  clineMessages,
  claudeCodeJsonl,
  codexRollout,
  claudeSdkStreamJson,
  langgraphThread,
  openhandsV1Events,
  openhandsV0Events,
  piSession,
  geminiCliChat,
  otelTraces,
  llmRequestLog,
  messageArrays,
];

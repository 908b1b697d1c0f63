// Made from dap_ai by scripts/generate_protocol.py. Do not edit.

/** Another value that went into one of the path. */
export interface SiblingValue {
  expression: string;
  /** Empty: not known. */
  value: string;
}

/** A value on the way back. The first is the one in question; each was made of the one after it. */
export interface PathNode {
  /** As the line has it. */
  expression: string;
  /** On one line; empty: not known. Of a line that ran in several rounds: the values in order, ` -> ` between. */
  value: string;
  known: "" | "frame" | "rerun" | "snapshot" | "source" | "stop";
  /** Absolute. */
  file: string;
  /** Where the value was made, 1-based; with the step `read`: where it was read. */
  line: number;
  /** The one the line stands in; empty: module level. */
  function: string;
  step: "item" | "passed" | "read" | "returned" | "set";
  /** It begins here: a literal, or a function that ended without a `return`. */
  born: boolean;
  /** What a person should know of this step: why the path ends here, how many rounds there were. */
  note: string;
  /** What went into this value, too, and is not followed. */
  beside: SiblingValue[];
}

/** A question of a session that has ended, and its answer. */
export interface EarlierTurn {
  question: string;
  answer: string;
  /** Where the program stood then, absolute; empty: not known. */
  file?: string;
  line?: number;
}

/** A conversation whose session has ended, as the client has kept it. */
export interface Earlier {
  /** Oldest first. */
  turns?: EarlierTurn[];
  /** The end of what the program wrote. */
  output?: string;
  /** An exception at which nothing stopped: `traceback` of the event `askCaught`. */
  caught?: unknown;
}

/** Arguments of the request `ask`. `question` may be empty: "why did it stop here?". */
export interface AskArguments {
  question?: string;
  threadId?: number;
  /** From a stackTrace response of this stop. */
  frameId?: number;
  /** Of an earlier ask whose follow-up this is. */
  conversationId?: string;
  /** False: no events at all for this ask; only progress, if announced. */
  askEvents?: boolean;
  /** False: no progress events, though the client shows them: it shows the answer as it is made. */
  progress?: boolean;
  /** Lowers the configured level for this ask; never raises it. */
  level?: "compute" | "mutate" | "observe";
  /** What the client can lend; unknown names are ignored. `editor`: the user's own model, see AskModel. */
  providers?: string[];
  /** What that model is called, for a person. */
  lentModel?: string;
  /** Answer with the first context itself, and send it nowhere (`--show-context`). */
  contextOnly?: boolean;
  /** A model reads the answer: what is run for it has overwritten secrets, also what the offline analyst runs. */
  forModel?: boolean;
  /** Only the offline analyst answers: no model is asked, whoever else is set. */
  offline?: boolean;
  /** The conversation goes on from this, its source and its output: on a connection of its own, before any launch. */
  earlier?: Earlier;
}

/** Arguments of the request `askOffer`: what the client lends to questions of its console. */
export interface AskOfferArguments {
  /** As in AskArguments. Empty: nothing. */
  providers?: string[];
  lentModel?: string;
}

/** Body of the event `askCaught`: an exception at which nothing stopped, once a session. Lines are 1-based. */
export interface AskCaught {
  type: string;
  message: string;
  /** Of the innermost frame of the user's code. */
  file: string;
  line: number;
  function: string;
  /** The exception filter with which the program would stop there. */
  filter: "raised" | "userUnhandled";
  /** The program has ended: it is asked about as `caught` of an `earlier` conversation. */
  ended: boolean;
  /** The whole of it. */
  traceback: unknown;
}

/** Arguments of the request `askStopAt`: this exception filter is set beside the client's own from now on. */
export interface AskStopAtArguments {
  filter: "raised" | "userUnhandled";
}

/** Arguments of the request `askTool`: one tool under the same policy; its result is the answer. */
export interface AskToolArguments {
  name: string;
  /** See protocol/contracts/tool_arguments.py. */
  arguments?: unknown;
  threadId?: number;
  frameId?: number;
  conversationId?: string;
  askEvents?: boolean;
  level?: "compute" | "mutate" | "observe";
}

/** Body of the response, sent at once; the answer follows as events. */
export interface AskResponseBody {
  /** Doubles as the progressId. */
  askId: string;
  conversationId: string;
}

/** One step of the agent, so that a user sees what it did. */
export interface ToolStep {
  name: string;
  call: string;
  result?: string;
  seconds?: number;
  snapshot?: boolean;
}

/** Body of the event `askOutput`. `output` is append-only Markdown. */
export interface AskOutput {
  askId: string;
  category: "answer" | "status" | "tool";
  output: string;
  tool?: ToolStep;
}

/** Body of the event `askApproval`: the answer waits for the user's confirmation. */
export interface AskApproval {
  askId: string;
  approvalId: string;
  /** What would be done, as code: `next`, `counter.value = 0`. */
  action: string;
  /** Why the agent wants it, in its own words: text of a model, to be shown as such. */
  reason: string;
  /** What `remember` covers: every action of this kind in this session. */
  kind: string;
  /** Without an answer by then it is refused. */
  timeoutS: number;
  /** The value that would be replaced, as it was read just now. */
  now?: string;
}

/** Arguments of the request `askApprove`. */
export interface AskApproveArguments {
  approvalId: string;
  allow: boolean;
  /** The same for every action of this kind, until the session ends. */
  remember?: boolean;
}

/**
 * Body of the event `askModel`: the client lends its model for one reply.
 *
 * Answered by `askModelDelta`, any number of times, and `askModelEnd`, once.
 */
export interface AskModel {
  requestId: string;
  askId: string;
  /** As in Chat Completions: the whole conversation, secrets masked. */
  messages: Record<string, unknown>[];
  /** As in Chat Completions: what the model may call. Absent: it may only talk. */
  tools?: Record<string, unknown>[];
}

/** Arguments of the request `askModelDelta`: a piece of the reply, as it comes. */
export interface AskModelDelta {
  requestId: string;
  text?: string;
  /** What the model thinks before it answers: counted, never shown. */
  reasoning?: string;
}

/** A tool that the lent model calls. */
export interface ModelCall {
  name: string;
  /** An object; or JSON text as the model wrote it, even if it is malformed: the model is told. */
  arguments?: unknown;
  /** The model's own; it comes back as `tool_call_id`. Empty: one is made. */
  id?: string;
}

/** Tokens of one reply, where the client can tell. */
export interface ModelUsage {
  inputTokens?: number;
  outputTokens?: number;
}

/** Why the lent model does not answer. */
export interface ModelFailure {
  /** A ModelTrouble; any other word is taken for `failed`. */
  code?: string;
  /** For a person, as the model's provider says it. */
  message?: string;
}

/** Arguments of the request `askModelEnd`: the reply is complete, or failed. Its text came in deltas. */
export interface AskModelEnd {
  requestId: string;
  calls?: ModelCall[];
  usage?: ModelUsage;
  /** Which model it was, if it is known better than with the ask. */
  model?: string;
  error?: ModelFailure;
}

/** Body of the responses to `askModelDelta` and `askModelEnd`. */
export interface AskModelBody {
  /** False: nobody waits for this reply any more, and the client may stop the model. */
  active: boolean;
}

/** Body of the event `askModelEnded`: nobody waits for this reply any more. Not sent after `askModelEnd`. */
export interface AskModelEnded {
  requestId: string;
  askId: string;
}

/** What an answer cost. Tokens and dollars are 0 without a model; `seconds` is wall time. */
export interface Usage {
  modelCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  seconds: number;
  provider: string;
  model: string;
}

/** A value that the answer cites. Lines are 1-based; `epoch` is the stop it was read in. */
export interface Evidence {
  expression: string;
  value: string;
  file: string;
  line: number;
  frameId: number;
  threadId: number;
  epoch: number;
  /** It was read again in the same stop, after the answer was made, and is the same. */
  confirmed: boolean;
}

/** A line that may hold the mistake; `score` falls from 1.0. Lines are 1-based. */
export interface Suspect {
  file: string;
  line: number;
  score: number;
  reason: string;
}

/** A proposed change; `verified` only after a run in a snapshot. */
export interface Fix {
  file: string;
  diff: string;
  verified: boolean;
  check: string;
  result: string;
}

/** What was masked in an answer and on the way to it; never the secret itself. */
export interface Masked {
  /** What stands for it wherever it appears in this session: `<secret:3f2a>`. */
  placeholder: string;
  /** Why it is taken for a secret: `name: password`, `known`, `your pattern`. */
  rule: string;
  times: number;
}

/** Body of the event `askEnded`: the whole answer again; a plain client needs only this. */
export interface AskEnded {
  askId: string;
  conversationId: string;
  reason: "cancelled" | "completed" | "failed" | "limit" | "notStopped";
  /** The program went on while the answer was made: it speaks of a stop that is over. */
  stale: boolean;
  answer: string;
  usage: Usage;
  evidence: Evidence[];
  suspects: Suspect[];
  fixes: Fix[];
  /** With `failed`: why, for a person; `answer` is then what can be said all the same, after this. */
  error: string;
  /** With `failed`: what kind of trouble a model has; absent where none has any. */
  trouble?: "busy" | "key" | "model" | "network" | "overflow" | "request";
  /** From the value in question back to where it was born, nearest first; absent where it is not known. */
  path?: PathNode[];
  /** What is certain of a failure, in a few words; absent where nothing is. */
  gist?: string;
  /** What was masked while the answer was made, most often first. */
  masked: Masked[];
}

/** What `askTool` can call. */
export type ToolName = "stack" | "frame" | "variables" | "evaluate" | "source" | "code" | "definition" | "type" | "info" | "search" | "slice" | "trace" | "history" | "try_fix" | "threads" | "output" | "environment" | "frames" | "registers" | "memory" | "disassemble" | "step" | "continue_to" | "set_breakpoint" | "execute" | "set_variable" | "steps" | "diff" | "tree" | "workspace" | "checks" | "compare";

/** The tools of agent mode, by their names in package.json. None can change the program: agent mode has no consent cards. */
export const AGENT_TOOLS: Record<string, ToolName> = {
  dapAi_stack: "stack",
  dapAi_frame: "frame",
  dapAi_variables: "variables",
  dapAi_evaluate: "evaluate",
  dapAi_slice: "slice",
  dapAi_trace: "trace",
  dapAi_history: "history",
  dapAi_tryFix: "try_fix",
};

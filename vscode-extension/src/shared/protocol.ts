// Made from dap_ai by scripts/generate_protocol.py. Do not edit.

/** Another value from which a value of the path was made. */
export interface SiblingValue {
  expression: string;
  /** Text of the value; empty: unknown. */
  value: string;
}

/** A value on the path back. The first is the one in question; each was made from the next one. */
export interface PathNode {
  /** Source text of the expression on the line. */
  expression: string;
  /** Text on one line; empty: unknown. For a line that ran several times: the values in order, joined with ` -> `. */
  value: string;
  known: "" | "frame" | "rerun" | "snapshot" | "source" | "stop";
  /** Absolute path of the file. */
  file: string;
  /** 1-based line where the value was made; with the step `read`, where it was read. */
  line: number;
  /** Function that contains the line; empty: module level. */
  function: string;
  step: "item" | "passed" | "read" | "returned" | "set";
  /** Whether the path begins at this value: a literal, or a function that ended without a `return`. */
  born: boolean;
  /** A note for a person: why the path ends here, how often the line ran. */
  note: string;
  /** Other values from which this value was made; the path does not follow them. */
  beside: SiblingValue[];
}

/** A question from an ended session, and its answer. */
export interface EarlierTurn {
  question: string;
  answer: string;
  /** Absolute path of the file in which the program was stopped; empty: unknown. */
  file?: string;
  line?: number;
}

/** A conversation from an ended session, as kept by the client. */
export interface Earlier {
  /** Questions and answers, oldest first. */
  turns?: EarlierTurn[];
  /** The end of the program's output. */
  output?: string;
  /** An exception that did not stop the program: `traceback` of the event `askCaught`. */
  caught?: unknown;
}

/** Arguments of the request `ask`. An empty `question` means "why did it stop here?". */
export interface AskArguments {
  question?: string;
  threadId?: number;
  /** A frame id from a stackTrace response of this stop. */
  frameId?: number;
  /** Conversation of an earlier ask that this one continues. */
  conversationId?: string;
  /** False: send no ask events; only progress events, if the client supports them. */
  askEvents?: boolean;
  /** False: send no progress events even if the client supports them, because it shows the answer while it is made. */
  progress?: boolean;
  /** Maximum level for this ask; can only lower the configured level. */
  level?: "compute" | "mutate" | "observe";
  /** Providers that the client can lend; unknown names are ignored. `editor`: the user's own model, see AskModel. */
  providers?: string[];
  /** Name of the lent model, to show to a person. */
  lentModel?: string;
  /** Return the first context as the answer, and send it to no model (`--show-context`). */
  contextOnly?: boolean;
  /**
   * Whether a model will read the answer: then all code run for it, even by the offline analyst, sees overwritten
   * secrets.
   */
  forModel?: boolean;
  /** Let only the offline analyst answer, even if a model is configured. */
  offline?: boolean;
  /** An earlier conversation to continue, on a separate connection that has launched nothing. */
  earlier?: Earlier;
}

/** Arguments of the request `askOffer`: what the client lends to questions asked in its console. */
export interface AskOfferArguments {
  /** Providers as in AskArguments; empty: none. */
  providers?: string[];
  lentModel?: string;
}

/**
 * Body of the event `askCaught`, sent once a session: an exception that did not stop the program.
 *
 * Lines are 1-based.
 */
export interface AskCaught {
  type: string;
  message: string;
  /** File of the innermost frame in the user's code. */
  file: string;
  line: number;
  function: string;
  /** The exception filter that would stop the program there. */
  filter: "raised" | "userUnhandled";
  /** Whether the program has ended: then ask about the exception as `caught` of an `earlier` conversation. */
  ended: boolean;
  /** The exception and its complete traceback. */
  traceback: unknown;
}

/** Arguments of the request `askStopAt`: set this exception filter in addition to the client's own. */
export interface AskStopAtArguments {
  filter: "raised" | "userUnhandled";
}

/** Arguments of the request `askTool`: run one tool under the same policy and answer with its result. */
export interface AskToolArguments {
  name: string;
  /** Arguments of the tool: see protocol/contracts/tool_arguments.py. */
  arguments?: unknown;
  threadId?: number;
  frameId?: number;
  conversationId?: string;
  askEvents?: boolean;
  level?: "compute" | "mutate" | "observe";
}

/** Body of the immediate response to `ask`; the answer follows as events. */
export interface AskResponseBody {
  /** Id of this ask, and the `progressId` of its progress events. */
  askId: string;
  conversationId: string;
}

/** One step of the agent, shown to the user. */
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

/** Body of the event `askApproval`: the agent asks the user to confirm an action. */
export interface AskApproval {
  askId: string;
  approvalId: string;
  /** The action as code: `next`, `counter.value = 0`. */
  action: string;
  /** The agent's reason, written by a model: show it as such. */
  reason: string;
  /** Kind of action that `remember` covers for the rest of this session. */
  kind: string;
  /** Seconds after which no answer counts as a refusal. */
  timeoutS: number;
  /** Current value that the action would replace. */
  now?: string;
}

/** Arguments of the request `askApprove`. */
export interface AskApproveArguments {
  approvalId: string;
  allow: boolean;
  /** Apply the decision to every action of this kind until the session ends. */
  remember?: boolean;
}

/**
 * Body of the event `askModel`: asks the client's model for one reply.
 *
 * The client answers with any number of `askModelDelta` requests and one `askModelEnd`.
 */
export interface AskModel {
  requestId: string;
  askId: string;
  /** The whole conversation in Chat Completions format, with secrets masked. */
  messages: Record<string, unknown>[];
  /** Tools the model may call, in Chat Completions format; absent: text only. */
  tools?: Record<string, unknown>[];
}

/** Arguments of the request `askModelDelta`: a piece of the reply, sent as it is made. */
export interface AskModelDelta {
  requestId: string;
  text?: string;
  /** The model's reasoning: counted, never shown. */
  reasoning?: string;
}

/** A tool call of the lent model. */
export interface ModelCall {
  name: string;
  /** An object, or JSON text as the model wrote it. If the text is malformed, the model receives an error. */
  arguments?: unknown;
  /** The model's own id, returned as `tool_call_id`; empty: dap_ai makes one. */
  id?: string;
}

/** Tokens of one reply, if the client knows them. */
export interface ModelUsage {
  inputTokens?: number;
  outputTokens?: number;
}

/** Why the lent model cannot answer. */
export interface ModelFailure {
  /** A ModelTrouble; any other value counts as `failed`. */
  code?: string;
  /** Message of the model's provider, to show to a person. */
  message?: string;
}

/** Arguments of the request `askModelEnd`: the reply is complete or failed. Its text was sent as deltas. */
export interface AskModelEnd {
  requestId: string;
  calls?: ModelCall[];
  usage?: ModelUsage;
  /** Name of the model, if known more precisely than in the ask. */
  model?: string;
  error?: ModelFailure;
}

/** Body of the responses to `askModelDelta` and `askModelEnd`. */
export interface AskModelBody {
  /** False: nobody is waiting for this reply, so the client may stop the model. */
  active: boolean;
}

/** Body of the event `askModelEnded`: nobody is waiting for this reply. Not sent after `askModelEnd`. */
export interface AskModelEnded {
  requestId: string;
  askId: string;
}

/** Cost of an answer. Tokens and dollars are 0 without a model; `seconds` is elapsed time. */
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

/** A value that the answer cites. Lines are 1-based; `epoch` identifies the stop in which it was read. */
export interface Evidence {
  expression: string;
  value: string;
  file: string;
  line: number;
  frameId: number;
  threadId: number;
  epoch: number;
  /** Whether a second read in the same stop, after the answer was made, gave the same value. */
  confirmed: boolean;
}

/** A line that may contain the mistake; `score` is at most 1.0, the most suspicious. Lines are 1-based. */
export interface Suspect {
  file: string;
  line: number;
  score: number;
  reason: string;
}

/** A proposed change, `verified` if a run in a snapshot passed with it. */
export interface Fix {
  file: string;
  diff: string;
  verified: boolean;
  check: string;
  result: string;
}

/** A secret masked in an answer or while it was made; never contains the secret itself. */
export interface Masked {
  /** The text that replaces the secret everywhere in this session: `<secret:3f2a>`. */
  placeholder: string;
  /** Why the text counts as a secret: `name: password`, `known`, `your pattern`. */
  rule: string;
  times: number;
}

/** Body of the event `askEnded`: the complete answer; a simple client needs only this. */
export interface AskEnded {
  askId: string;
  conversationId: string;
  reason: "cancelled" | "completed" | "failed" | "limit" | "notStopped";
  /** Whether the program resumed while the answer was made, so that the answer is about an earlier stop. */
  stale: boolean;
  answer: string;
  usage: Usage;
  evidence: Evidence[];
  suspects: Suspect[];
  fixes: Fix[];
  /** With `failed`: the reason, for a person. `answer` then follows it with what can be stated all the same. */
  error: string;
  /** With `failed`: the kind of problem a model has; absent if no model has one. */
  trouble?: "busy" | "key" | "model" | "network" | "overflow" | "request";
  /** Path from the value in question back to its origin, nearest first; absent if unknown. */
  path?: PathNode[];
  /** The certain facts about a failure, in a few words; absent if there are none. */
  gist?: string;
  /** Secrets masked while the answer was made, most frequent first. */
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

// Made from dap_ai by scripts/generate_protocol.py. Do not edit.

/** Another value that the program used to make a value of the path. */
export interface SiblingValue {
  expression: string;
  /** Text of the value; empty if unknown. */
  value: string;
}

/**
 * A value on the path.
 *
 * The first node is the value in question; the program made each value from the next node's.
 */
export interface PathNode {
  /** Source text of the value's expression on the line. */
  expression: string;
  /**
   * Text of the value on one line; empty if unknown. For a line that ran several times: its values in order, joined
   * with ` -> `.
   */
  value: string;
  known: "" | "frame" | "rerun" | "snapshot" | "source" | "stop";
  /** Absolute path of the source file. */
  file: string;
  /** 1-based line that made the value; if `step` is `read`, the line that read it. */
  line: number;
  /** Function that contains the line; empty at module level. */
  function: string;
  step: "item" | "passed" | "read" | "returned" | "set";
  /** Whether the path begins at this value: a literal, or a function that ended without a `return`. */
  born: boolean;
  /** A note for a person, such as why the path ends here or how often the line ran. */
  note: string;
  /** Other values that the program used to make this value. The path does not follow them. */
  beside: SiblingValue[];
}

/**
 * One part of an answer.
 *
 * `text` is Markdown.
 */
export interface Section {
  kind: "advice" | "answerer" | "cause" | "cleanup" | "effort" | "happened" | "message" | "note" | "rerun" | "rivals" | "suspects" | "text" | "unproved" | "verdict" | "why";
  text: string;
}

/** The root cause of a failure. `line` is 1-based. */
export interface Cause {
  file: string;
  line: number;
  /** The place as Markdown code, relative to the program's working directory: `shop.py:3`. */
  spot: string;
  /** The line's source text without indentation; empty if the source cannot be read. */
  code: string;
  /** The mistake in Markdown, without a final full stop. */
  reason: string;
  certainty: "guess" | "proved";
}

/** An answer in parts, in the order in which they are read. */
export interface Report {
  /** Version of this format. A client ignores section kinds that it does not know. */
  version?: number;
  /** What went wrong, with the value that decides, in one sentence of Markdown; empty if nothing has failed. */
  effect?: string;
  sections?: Section[];
  /** The root cause; absent if it is unknown, or if nothing has failed. */
  cause?: Cause;
}

/** A question of an ended session, and its answer. */
export interface EarlierTurn {
  question: string;
  answer: string;
  /** Absolute path of the file in which the program was stopped; empty if unknown. */
  file?: string;
  line?: number;
}

/** A conversation from an ended session that the client has kept. */
export interface Earlier {
  /** Questions with their answers, oldest first. */
  turns?: EarlierTurn[];
  /** The end of the program's output. */
  output?: string;
  /** An exception that did not stop the program: the `traceback` field of the event `askCaught`. */
  caught?: unknown;
}

/**
 * Arguments of the request `ask`, which asks a question about the program.
 *
 * An empty `question` asks why it stopped here.
 */
export interface AskArguments {
  question?: string;
  threadId?: number;
  /** A DAP frame id from a `stackTrace` response of this stop. */
  frameId?: number;
  /** Id of the conversation that this question continues. */
  conversationId?: string;
  /** Whether to send ask events. If false, only progress events are sent, and only to a client that supports them. */
  askEvents?: boolean;
  /** Whether to send progress events. A client that shows the answer while it is made can set the field to false. */
  progress?: boolean;
  /** Maximum level for this question. It can only lower the configured level. */
  level?: "compute" | "mutate" | "observe";
  /**
   * Names of model providers that the client can lend. `editor` is the user's own model, see AskModel. Unknown names
   * are ignored.
   */
  providers?: string[];
  /** Name of the model that the client lends, to show to a person. */
  lentModel?: string;
  /** Whether to return the first context as the answer and send it to no model (`--show-context`). */
  contextOnly?: boolean;
  /**
   * Whether a model will read the answer. All code run for the answer, even by the offline analyst, then sees
   * overwritten secrets.
   */
  forModel?: boolean;
  /** Whether only the offline analyst may answer, even if a model is configured. */
  offline?: boolean;
  /**
   * An earlier conversation to continue. The question must come on a separate connection that has launched
   * nothing.
   */
  earlier?: Earlier;
}

/** Arguments of the request `askOffer`: the model providers that the client lends to questions in its console. */
export interface AskOfferArguments {
  /** Names of model providers, as in AskArguments; an empty list withdraws the offer. */
  providers?: string[];
  lentModel?: string;
}

/**
 * Body of the event `askCaught`, which reports an exception that did not stop the program. Sent once per session.
 *
 * Lines are 1-based.
 */
export interface AskCaught {
  type: string;
  message: string;
  /** File of the innermost traceback frame in the user's code. */
  file: string;
  line: number;
  function: string;
  /** The exception filter that would stop the program at this exception. */
  filter: "raised" | "userUnhandled";
  /**
   * Whether the program has ended. A question about the exception then goes into `caught` of an `earlier`
   * conversation.
   */
  ended: boolean;
  /** The exception and its complete traceback. */
  traceback: unknown;
}

/** Arguments of the request `askStopAt`, which sets an exception filter in addition to the client's own filters. */
export interface AskStopAtArguments {
  filter: "raised" | "userUnhandled";
}

/** Arguments of the request `askTool`, which runs one tool under the same policy as `ask` and returns its result. */
export interface AskToolArguments {
  name: string;
  /** Arguments of the tool, as protocol/contracts/tool_arguments.py describes them. */
  arguments?: unknown;
  threadId?: number;
  frameId?: number;
  conversationId?: string;
  askEvents?: boolean;
  level?: "compute" | "mutate" | "observe";
}

/** Body of the immediate response to `ask`. The answer follows in events. */
export interface AskResponseBody {
  /** Id of this question, also the `progressId` of its progress events. */
  askId: string;
  conversationId: string;
}

/** One tool call of the agent, shown to the user. */
export interface ToolStep {
  name: string;
  call: string;
  result?: string;
  seconds?: number;
  snapshot?: boolean;
}

/**
 * Body of the event `askOutput`, which carries the next piece of an answer.
 *
 * The client appends `output`, Markdown text.
 */
export interface AskOutput {
  askId: string;
  category: "answer" | "status" | "tool";
  output: string;
  tool?: ToolStep;
}

/** Body of the event `askApproval`, with which the agent asks the user to confirm an action. */
export interface AskApproval {
  askId: string;
  approvalId: string;
  /** The action as code, such as `next` or `counter.value = 0`. */
  action: string;
  /** The agent's reason. A model wrote the text, so the client must present it as such. */
  reason: string;
  /** Kind of action. `remember` applies the user's decision to all actions of this kind in the session. */
  kind: string;
  /** Seconds to wait for the user's decision; then the action counts as refused. */
  timeoutS: number;
  /** The current value that the action would replace. */
  now?: string;
}

/** Arguments of the request `askApprove`, which allows or refuses an action that the agent wants to perform. */
export interface AskApproveArguments {
  approvalId: string;
  allow: boolean;
  /** Whether the decision holds for every action of this kind until the session ends. */
  remember?: boolean;
}

/**
 * Body of the event `askModel`, which asks the client's language model for one reply.
 *
 * The client sends any number of `askModelDelta` requests with pieces of the reply, then one `askModelEnd` request.
 */
export interface AskModel {
  requestId: string;
  askId: string;
  /** The whole conversation in Chat Completions format. Its secrets are masked. */
  messages: Record<string, unknown>[];
  /** Tools that the model may call, in Chat Completions format; absent if the model must reply with text only. */
  tools?: Record<string, unknown>[];
}

/** Arguments of the request `askModelDelta`: a piece of the model's reply, sent while the model writes. */
export interface AskModelDelta {
  requestId: string;
  text?: string;
  /** A piece of the model's reasoning. dap_ai counts the text and never shows it. */
  reasoning?: string;
}

/** A tool call that the lent model makes. */
export interface ModelCall {
  name: string;
  /** A JSON object, or JSON text as the model wrote it. If the text is malformed, the model receives an error. */
  arguments?: unknown;
  /** The model's own id of the call, returned as `tool_call_id`. If empty, dap_ai makes an id. */
  id?: string;
}

/** Numbers of tokens that one reply used, if the client knows them. */
export interface ModelUsage {
  inputTokens?: number;
  outputTokens?: number;
}

/** Reason why the lent model cannot answer. */
export interface ModelFailure {
  /** Kind of failure, a ModelTrouble. Any other value counts as `failed`. */
  code?: string;
  /** The model provider's message, to show to a person. */
  message?: string;
}

/**
 * Arguments of the request `askModelEnd`: the model's reply is complete, or it failed.
 *
 * The reply's text was sent before, in `askModelDelta` requests.
 */
export interface AskModelEnd {
  requestId: string;
  calls?: ModelCall[];
  usage?: ModelUsage;
  /** Name of the model, if the client knows a more precise name than the question gave. */
  model?: string;
  error?: ModelFailure;
}

/** Body of the responses to `askModelDelta` and `askModelEnd`. */
export interface AskModelBody {
  /** Whether dap_ai still waits for this reply. If false, the client may stop the model. */
  active: boolean;
}

/** Body of the event `askModelEnded`: dap_ai no longer waits for this reply. Not sent after `askModelEnd`. */
export interface AskModelEnded {
  requestId: string;
  askId: string;
}

/** Cost of an answer. Without a model, tokens and dollars are 0. `seconds` is elapsed time. */
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

/**
 * A value that the answer cites. Lines are 1-based.
 *
 * `epoch` is the number of the stop in which the value was read.
 */
export interface Evidence {
  expression: string;
  value: string;
  file: string;
  line: number;
  frameId: number;
  threadId: number;
  epoch: number;
  /** Whether the expression had the same value when dap_ai read it again in the same stop, after making the answer. */
  confirmed: boolean;
}

/**
 * A line that may contain the mistake. The most suspicious lines have the highest `score`, at most 1.0.
 *
 * Lines are 1-based.
 */
export interface Suspect {
  file: string;
  line: number;
  score: number;
  reason: string;
}

/** A proposed change of the source. `verified` means that a run in a snapshot passed with the change. */
export interface Fix {
  file: string;
  diff: string;
  verified: boolean;
  check: string;
  result: string;
  /** True if small changes were tried until one passed, and no rule explains why this change is right. */
  isFoundBySearch?: boolean;
}

/**
 * A secret that was masked in an answer or while the answer was made.
 *
 * The struct never contains the secret itself.
 */
export interface Masked {
  /** The text that replaces the secret everywhere in this session, such as `<secret:3f2a>`. */
  placeholder: string;
  /** Reason why the text counts as a secret, such as `name: password`, `known` or `your pattern`. */
  rule: string;
  times: number;
}

/** Body of the event `askEnded`, which contains the complete answer. A simple client needs only this event. */
export interface AskEnded {
  askId: string;
  conversationId: string;
  reason: "cancelled" | "completed" | "failed" | "limit" | "notStopped";
  /** Whether the program resumed while the answer was made. The answer is then about an earlier stop. */
  stale: boolean;
  answer: string;
  usage: Usage;
  evidence: Evidence[];
  suspects: Suspect[];
  fixes: Fix[];
  /**
   * If `reason` is `failed`: why, for a person. `answer` then holds this reason and what dap_ai can state
   * nevertheless.
   */
  error: string;
  /** If `reason` is `failed`: the model's kind of problem; absent if no model caused the failure. */
  trouble?: "busy" | "key" | "model" | "network" | "overflow" | "request";
  /** Path from the value in question back to its origin, nearest first; absent if unknown. */
  path?: PathNode[];
  /** What is certain about a failure, in a few words; absent if nothing is certain. */
  gist?: string;
  /** Secrets masked while the answer was made, most frequent first. */
  masked: Masked[];
  /** The answer in parts; absent if there is no answer. */
  report?: Report;
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

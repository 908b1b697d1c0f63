/** What the extension host and the view say to each other: two tagged unions, and the state that they are about. */

import type { AskApproval, AskEnded, ToolStep } from "./protocol";

/** A debug session behind dap_ai. */
export interface SessionInfo {
  /** VS Code's id of the session. */
  id: string;
  name: string;
  /** Where it stands; undefined: it runs. Lines are 1-based. */
  stop?: { reason: string; file?: string; line?: number; frame?: string };
  /** An error that something caught: it can be asked about while the program runs. */
  caught?: { type: string; file: string; line: number };
}

/** What is asked of such an error. */
export const WHY_CAUGHT = "Why did it happen?";

/** Who answers, as the proxy's first status line says: what leaves the machine. */
export interface Answerer {
  /** `offline`, `editor` (a model that VS Code lends) or `endpoint`. */
  kind: "offline" | "editor" | "endpoint";
  /** For a person: `Offline analyst`, `GPT-5 mini (VS Code)`, `qwen3 at localhost:11434`. */
  name: string;
  /** One sentence: what leaves this machine. */
  leaves: string;
}

/** One step of the agent, a row that can be opened. */
export interface Step extends ToolStep {
  /** What a user may be told of it, as Markdown. */
  shown: string;
}

/** One consent request and what became of it. */
export interface Approval extends AskApproval {
  outcome?: "allowed" | "allowedForSession" | "denied" | "over";
}

/** What a turn holds, in the order in which it came. */
export type Part =
  | { kind: "answer"; text: string }
  | { kind: "status"; text: string }
  | { kind: "step"; step: Step }
  | { kind: "approval"; approval: Approval };

/** What became of the program when it was started again with a fix in it. */
export interface Rerun {
  /** `through`: it ended well, but was not at an exception before, so that nothing is proved. */
  state: "running" | "fixed" | "through" | "again" | "elsewhere";
  /** For a person. */
  text: string;
  /** What the program wrote until it stopped, and with the fix to its end; never kept. */
  output?: { before: string; after: string };
}

/** A question and its answer. */
export interface Turn {
  /** The host's own, stable from the click on. */
  id: string;
  question: string;
  /** Where the program stood: `report.py:12`. */
  spot?: string;
  /** The same, whole; absent where nothing was stopped. */
  stop?: NonNullable<SessionInfo["stop"]>;
  /** Why it stood there: `ZeroDivisionError: division by zero`. */
  cause?: string;
  /** When it was asked, in ms since 1970. */
  at?: number;
  parts: Part[];
  /** Undefined: the answer is being made. */
  ended?: AskEnded;
  /** Of the request `ask` itself, for a person. */
  error?: string;
  /** By index of `ended.fixes`. */
  fixes?: ("applied" | "undone" | "failed")[];
  /** By the same index: of an applied fix. */
  reruns?: (Rerun | undefined)[];
}

/** A conversation of one session. */
export interface Conversation {
  /** The host's own. */
  id: string;
  sessionId: string;
  turns: Turn[];
  /** Its session has ended. The id alone does not tell: VS Code keeps it when it restarts a session. */
  isOver?: true;
}

/** All that the view shows; sent whole when a view is ready and when the conversation changes. */
export interface ViewState {
  sessions: SessionInfo[];
  /** The session that is asked. */
  sessionId?: string;
  conversation?: Conversation;
  /** Earlier conversations of this session, newest first. */
  history: { id: string; title: string }[];
  answerer?: Answerer;
  /** A step of an answer that may be followed: `file:line` links are made for files that exist here. */
  workspace: string[];
}

/** From the host to the view. */
export type HostMessage =
  | { type: "state"; state: ViewState }
  | { type: "sessions"; sessions: SessionInfo[]; sessionId?: string }
  | { type: "answerer"; answerer: Answerer }
  | { type: "turn"; conversationId: string; turn: Turn }
  | { type: "part"; turnId: string; part: Part }
  | { type: "approval"; turnId: string; approvalId: string; outcome: NonNullable<Approval["outcome"]> }
  | { type: "ended"; turnId: string; ended: AskEnded }
  | { type: "failed"; turnId: string; error: string }
  | { type: "fix"; turnId: string; index: number; outcome: "applied" | "undone" | "failed"; error?: string }
  | { type: "rerun"; turnId: string; index: number; rerun?: Rerun }
  | { type: "focus"; question?: string };

/** From the view to the host. */
export type ViewMessage =
  | { type: "ready" }
  | { type: "ask"; question: string }
  | { type: "stop"; turnId: string }
  | { type: "pauseAndAsk" }
  | { type: "retry"; turnId: string }
  | { type: "newConversation" }
  /** Without an id: the user says which. */
  | { type: "openConversation"; id?: string }
  | { type: "selectSession"; sessionId: string }
  | { type: "approve"; approvalId: string; allow: boolean; remember: boolean }
  | { type: "openLocation"; file: string; line: number }
  | { type: "openFrame"; sessionId: string; frameId: number; threadId: number; expression?: string; file: string; line: number }
  | { type: "previewFix"; turnId: string; index: number }
  | { type: "applyFix"; turnId: string; index: number }
  | { type: "undoFix"; turnId: string; index: number }
  | { type: "applyAndRerun"; turnId: string; index: number }
  | { type: "restart"; turnId: string }
  | { type: "copyTurn"; turnId: string }
  | { type: "copyConversation" }
  | { type: "exportConversation" }
  | { type: "chooseAnswerer" }
  | { type: "setKey" };

/** Commands of VS Code that the view's own buttons call; `answers/answerView.ts` does them, no `AnswerHost` hears of them. */
export interface ViewCommand {
  type: "command";
  command: "start" | "makeRoom";
}

/** All that comes from a view. */
export type FromView = ViewMessage | ViewCommand;

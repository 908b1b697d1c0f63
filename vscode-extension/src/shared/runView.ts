// Made from dap_ai by scripts/generate_protocol.py. Do not edit.

/** One event. */
export interface ShownEvent {
  index: number;
  kind: "call" | "change" | "end" | "error" | "note" | "query" | "response" | "result" | "task";
  agent: string;
  /** 1-based per agent; 0 before its first query. */
  cycle: number;
  /** 1-based over the run; 0 for none. */
  step: number;
  /** What it says, on one line, by rule. */
  said: string;
  text: string;
  at_s?: number;
  took_s?: number;
  /** How many characters the text has, where only its beginning is here; 0: it is whole. */
  chars?: number;
  reasoning?: string;
  tool?: string;
  arguments?: Record<string, unknown>;
  call_id?: string;
  status?: "error" | "ok" | "unknown";
  exit_code?: number;
  input_tokens?: number;
  cached_tokens?: number;
  output_tokens?: number;
  cost_usd?: number;
  /** Where it is recorded: file, lines, JSON pointer. */
  place?: string;
  /** Of a change, or of the state before the run: a commit in the recording's `workspace.git`. */
  commit?: string;
  /** Of a change, where it was asked for: the lines of a patch. */
  diff?: string[];
}

/** One file that a step's call writes. */
export interface ShownWrite {
  path: string;
  how: string;
  /** Lines that start with `+`, `-`, `@` or a blank; none where the call does not hold the text. */
  diff?: string[];
}

/** What analysis sees in one step. */
export interface ShownStep {
  step: number;
  effect: "change" | "explore" | "install" | "message" | "run" | "submit" | "verify";
  intent: string;
  outcome: string;
  /** How a check came out; None: it was none, or nobody knows. */
  ok?: boolean;
  /** A check that failed, a call that was refused or ended with an error. */
  failed?: boolean;
  /** Why the call did nothing. */
  nothing?: string;
  writes?: ShownWrite[];
  reads?: string[];
}

/** Something that goes wrong in many runs, seen here. */
export interface ShownPattern {
  name: string;
  steps: number[];
  text: string;
  quote?: string;
}

/** A block of steps in which the run may have gone wrong. */
export interface ShownSuspect {
  step: number;
  first: number;
  last: number;
  type: string;
  text: string;
  confidence: number;
  /** From there to the symptom: step, words. */
  chain?: [number, string][];
  /** Step (0: none), words of the run. */
  evidence?: [number, string][];
}

/** A range of steps, both ends included. */
export interface ShownStage {
  stage: "dependencies" | "environment" | "inspection" | "patching" | "submission" | "verification";
  first: number;
  last: number;
}

/** One agent; the main one has no parent. */
export interface ShownAgent {
  name: string;
  parent?: string;
  model?: string;
}

/** A run, or a part of it: `events` from `first` on, and the steps that they belong to. */
export interface RunView {
  version: number;
  /** The last part of its path. */
  name: string;
  path: string;
  format: string;
  /** Its task in a line. */
  title: string;
  task: string;
  verdict: "error" | "failed" | "limit" | "solved" | "unknown";
  /** What the run itself records of its end. */
  words: string;
  agents: ShownAgent[];
  /** Events of the run, as far as it is known. */
  total: number;
  step_count: number;
  started: string;
  seconds: number | null;
  cost_usd: number | null;
  /** Secrets are masked. */
  masked: boolean;
  /** Every change of the workspace is an event. */
  followed: boolean;
  /** How much of the run is read; "" is all. */
  known: string;
  stages: ShownStage[];
  patterns: ShownPattern[];
  /** Where the run went wrong; else `why_not` has the reason. */
  onset: ShownSuspect | null;
  alternatives: ShownSuspect[];
  why_not: string;
  problems: string[];
  first: number;
  events: ShownEvent[];
  steps: ShownStep[];
}

/** Two runs of one task, side by side. */
export interface RunsView {
  runs: RunView[];
  same_task: boolean;
  /** The first change that differs; None: all are alike. */
  differs: ShownDivergence | null;
}

/** Where two runs first change the work differently; a step of 0: that run changes nothing more. */
export interface ShownDivergence {
  step: number;
  other: number;
  same: number;
  text: string;
  diff?: string[];
}

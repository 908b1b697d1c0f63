// Made from dap_ai by scripts/generate_protocol.py. Do not edit.

/** One event of the run. */
export interface ShownEvent {
  index: number;
  kind: "call" | "change" | "end" | "error" | "note" | "query" | "response" | "result" | "task";
  agent: string;
  /** Number of the agent's query, 1-based; 0 before the first query. */
  cycle: number;
  /** Step number in the run, 1-based; 0 if the event belongs to no step. */
  step: number;
  /** Summary of the event on one line. */
  said: string;
  text: string;
  at_s?: number;
  took_s?: number;
  /** Number of characters of the whole text if `text` is cut; 0 if `text` is the whole text. */
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
  /** Location of the event in the run's files: file, lines, JSON pointer. */
  place?: string;
  /** Commit in the recording's `workspace.git`. Set for a change and for the state before the run. */
  commit?: string;
  /** Lines of a change's patch. Set only on request. */
  diff?: string[];
}

/** One file that a step's call writes. */
export interface ShownWrite {
  path: string;
  how: string;
  /** Diff lines, which start with `+`, `-`, `@` or a blank. Empty if the call does not contain the text. */
  diff?: string[];
}

/** Results of the analysis for one step. */
export interface ShownStep {
  step: number;
  effect: "change" | "explore" | "install" | "message" | "run" | "submit" | "verify";
  intent: string;
  outcome: string;
  /** Whether the step's check passed; None if the step is no check or the outcome is unknown. */
  ok?: boolean;
  /** Whether the step's check failed, its call was rejected, or its call ended with an error. */
  failed?: boolean;
  /** Reason why the call did nothing or was rejected. */
  nothing?: string;
  writes?: ShownWrite[];
  reads?: string[];
}

/** A common failure pattern that the run shows. */
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
  /** Steps from the onset to the symptom, as (step, description). */
  chain?: [number, string][];
  /** Quotes from the run, as (step, quote). Step 0 stands for no step. */
  evidence?: [number, string][];
}

/** A range of steps in one stage, first and last included. */
export interface ShownStage {
  stage: "dependencies" | "environment" | "inspection" | "patching" | "submission" | "verification";
  first: number;
  last: number;
}

/** One agent of the run. The main agent has no parent. */
export interface ShownAgent {
  name: string;
  parent?: string;
  model?: string;
}

/** A run, or a part of its events from index `first` on, with the steps of these events. */
export interface RunView {
  version: number;
  /** Last part of the run's path. */
  name: string;
  path: string;
  format: string;
  /** Task of the run in one line. */
  title: string;
  task: string;
  verdict: "error" | "failed" | "limit" | "solved" | "unknown";
  /** Outcome in the words of the run's files. */
  words: string;
  agents: ShownAgent[];
  /** Number of events of the run that are known so far. */
  total: number;
  step_count: number;
  started: string;
  seconds: number | null;
  cost_usd: number | null;
  /** Whether secrets are masked. */
  masked: boolean;
  /** Whether every change of the workspace is recorded as an event. */
  followed: boolean;
  /** Which part of the run is read; empty if the whole run is read. */
  known: string;
  stages: ShownStage[];
  patterns: ShownPattern[];
  /** Step where the run went wrong. If missing, `why_not` has the reason. */
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
  /** First change in which the runs differ; None if all changes are equal. */
  differs: ShownDivergence | null;
}

/** First change of the work in which two runs differ. Step 0 means that the run has no further change. */
export interface ShownDivergence {
  step: number;
  other: number;
  same: number;
  text: string;
  diff?: string[];
}

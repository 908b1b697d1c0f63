/** What the host and the view of a run say to each other. The page of `dap-ai run export` has no host: it is given its run. */

import type { RunsView, RunView, ShownEvent } from "./runView";

/** A row of the gallery: `dap-ai run list --json`. */
export interface GalleryRow {
  path: string;
  format: string;
  agent: string;
  model: string;
  task: string;
  steps: number;
  outcome: string;
  cost_usd: number | null;
  seconds: number | null;
  problems: string[];
}

/** What a host is able to do for the user, beyond showing. */
export interface Abilities {
  /** A debugger stands in this run: it can be moved. */
  goTo?: boolean;
  /** Documents of events, and commits of the workspace, can be opened. */
  open?: boolean;
  /** The run can be debugged from here: no session has it yet. */
  debug?: boolean;
}

/** Where the debugger stands. */
export interface Standing {
  index: number;
  /** The event is held, and can be edited. */
  isHeld: boolean;
}

export type RunHostMessage =
  /** A part of a run: one with `first` 0 begins it anew, others replace what is there from `first` on. */
  | { type: "run"; run: RunView; can: Abilities }
  | { type: "standing"; standing: Standing | null; can: Abilities }
  | { type: "event"; event: ShownEvent }
  /** An edit of what is held was taken. */
  | { type: "edited"; index: number; name: string; value: unknown }
  /** Steps that an answer about the run rests on. */
  | { type: "cited"; steps: number[]; words: string }
  | { type: "both"; both: RunsView }
  | { type: "gallery"; place: string; isStore: boolean; rows: GalleryRow[]; isWhole: boolean }
  | { type: "busy"; words: string }
  | { type: "failed"; words: string };

export type RunViewMessage =
  | { type: "ready" }
  | { type: "goTo"; index: number }
  | { type: "whole"; index: number }
  | { type: "edit"; index: number; name: string; value: unknown }
  | { type: "openDocument"; index: number }
  | { type: "openChange"; index: number }
  | { type: "restore"; index: number }
  | { type: "debug"; index?: number }
  | { type: "gallery"; action: GalleryAction; paths: string[] };

export type GalleryAction = "show" | "debug" | "compare" | "export" | "rename" | "delete" | "import" | "chooseFolder" | "store" | "refresh" | "record";

/** What the parts of the view share: the way to the host, and what is kept over a reload. */

import type { FromView, ViewState } from "../shared/messages";
import type { OpenLocation } from "./tokens";

/** What the view itself keeps: VS Code unloads it whenever it is hidden. */
export interface Kept {
  draft?: string | undefined;
  /** Undefined: at the end. */
  scrollTop?: number | undefined;
  /** Rows that the user has opened, by key. */
  open?: string[];
  /** By approval: when its time is over, in ms since 1970. */
  deadlines?: Record<string, number>;
  /** For the serializer of the tab, and to forget all of the above with its conversation. */
  conversationId?: string | undefined;
}

/** One for the whole view. */
export interface ViewContext {
  post(message: FromView): void;
  readonly open: OpenLocation;
  /** A file as it is shown. */
  short(file: string): string;
  announce(text: string, urgent?: boolean): void;
  /** As the host last said it. */
  readonly state: ViewState;
  kept(): Kept;
  keep(change: Kept): void;
}

/** Lets a `details` element be open again after a reload. */
export function keepOpen(context: ViewContext, details: HTMLDetailsElement, key: string, initially = false): void {
  const open = context.kept().open ?? [];
  details.open = open.includes(key) || (initially && !open.includes(`-${key}`));
  details.addEventListener("toggle", () => {
    const others = (context.kept().open ?? []).filter((each) => each !== key && each !== `-${key}`);
    context.keep({ open: [...others, details.open ? key : `-${key}`].slice(-200) });
  });
}

/** The questions of menus and buttons, and what VS Code says they are about. No `vscode` here. */

import type { Stop } from "../sessions/tracker";

/** A value that the user points at. */
export interface Pointed {
  expression: string;
  /** As VS Code shows it. */
  value?: string;
  sessionId?: string;
}

/** Where the program stands, short: `report.py:12`. */
export function spotOf(stop: Stop | undefined): string | undefined {
  const { file, line } = stop?.top ?? {};
  return file === undefined || line === undefined ? undefined : `${baseName(file)}:${line}`;
}

/** Reads what the context menus of Variables and Watch hand to a command; their shapes differ between versions. */
export function pointedOf(argument: unknown): Pointed | undefined {
  const context = fields(argument);
  const variable = fields(context["variable"] ?? argument);
  const expression = text(variable["evaluateName"]) ?? text(variable["expression"]) ?? text(variable["name"]);
  if (expression === undefined) return undefined;
  const pointed: Pointed = { expression };
  const [value, sessionId] = [text(variable["value"]), text(context["sessionId"])];
  if (value !== undefined) pointed.value = value;
  if (sessionId !== undefined) pointed.sessionId = sessionId;
  return pointed;
}

/** "Why this value?", for a model and for the offline analyst, who would take a value in backticks for an expression. */
export function whyValue({ expression, value }: Pointed): string {
  const shown = value === undefined || value.length > 60 || value.includes("\n") ? undefined : value;
  return shown === undefined ? `Why is \`${oneLine(expression)}\` what it is?` : `Why is \`${oneLine(expression)}\` ${shown}?`;
}

/** About a piece of code that is selected in an editor. */
export function whySelection(selected: string, place: string): string {
  const code = selected.trim();
  if (!code.includes("\n") && code.length <= 80) return whyValue({ expression: code });
  return `What does this do here, with the values it has now (${place})?\n\n\`\`\`\n${code}\n\`\`\``;
}

/** About one frame of the call stack, which is sent along; `spot` is for the reader. */
export function whyFrame(spot: string | undefined): string {
  return `What is wrong in this frame${spot === undefined ? "" : ` (${spot})`}, and how did the program get here?`;
}

/** A row of the call stack, from the second argument of a command in its context menu. */
export interface PointedFrame {
  sessionId?: string;
  threadId?: number;
  /** From the innermost, 0. */
  index?: number;
  /** `report.py:12`. */
  spot?: string;
}

/** Reads it: the ids that VS Code hands out are its own, `thread:SESSION:ID` and `stackframe:thread:SESSION:ID:INDEX:NAME`. */
export function pointedFrameOf(argument: unknown): PointedFrame {
  const context = fields(argument);
  const pointed: PointedFrame = {};
  const sessionId = text(context["sessionId"]);
  if (sessionId !== undefined) pointed.sessionId = sessionId;
  const threadId = typeof context["threadId"] === "number" ? String(context["threadId"]) : text(context["threadId"]);
  const thread = /(\d+)$/.exec(threadId ?? "")?.[1];
  if (thread !== undefined) pointed.threadId = Number(thread);
  const frame = text(context["frameId"]) ?? "";
  const rest = threadId !== undefined && frame.includes(threadId) ? frame.slice(frame.indexOf(threadId) + threadId.length) : "";
  const index = /^:(\d+):/.exec(rest)?.[1];
  if (index !== undefined) pointed.index = Number(index);
  const location = fields(context["frameLocation"]);
  const [file, line] = [text(fields(location["source"])["path"]), fields(location["range"])["startLineNumber"]];
  if (file !== undefined && typeof line === "number") pointed.spot = `${baseName(file)}:${line}`;
  return pointed;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function oneLine(code: string): string {
  return code.replace(/\s*\n\s*/g, " ");
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

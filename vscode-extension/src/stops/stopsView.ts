/** The view *Stops*: a row for each stop, below it what was asked and found, and when the same cause was there before. */

import * as path from "node:path";
import * as vscode from "vscode";
import { openLocation } from "../answers/links";
import type { Host } from "../ask/host";
import { setting } from "../settings";
import { Causes, type Cause } from "./causes";
import { Timeline, type Asked, type StopRow } from "./timeline";

/** Where answers are shown. */
interface View {
  focus(): Promise<void>;
}

type Row = { kind: "stop"; stop: StopRow } | { kind: "asked"; asked: Asked } | { kind: "earlier"; cause: Cause };

const ICONS: Record<string, string> = { exception: "error", breakpoint: "debug-breakpoint", step: "debug-step-over", pause: "debug-pause" };
const DEFAULT_QUESTION = "Why did it stop here?";

/** Registers view and commands. `folder`: where the history is kept. */
export function registerStops(host: Host, view: View, folder: string): vscode.Disposable {
  const timeline = new Timeline();
  const isOn = (): boolean => setting<boolean>("history") !== false;
  const causes = new Causes(folder, isOn);
  const changed = new vscode.EventEmitter<undefined>();
  const update = (): void => {
    void vscode.commands.executeCommand("setContext", "dapAi.hasStops", timeline.rows.length > 0);
    changed.fire(undefined);
  };
  const keep = async (row: StopRow): Promise<void> => {
    if (!row.named) return;
    const earlier = row.earlier ?? (await causes.before(row.named));
    if (earlier) row.earlier = earlier;
    await causes.add(row.named);
    update();
  };
  return vscode.Disposable.from(
    changed,
    vscode.window.registerTreeDataProvider<Row>("dapAi.stops", {
      onDidChangeTreeData: changed.event,
      getChildren: (row) => (row ? below(row) : [...timeline.rows].reverse().map((stop) => ({ kind: "stop", stop }))),
      getTreeItem: itemOf,
    }),
    host.sessions.onDidChange(() => {
      if (timeline.look(host.sessions.all)) update();
    }),
    host.questions.onDidPost((message) => {
      heard(timeline.hear(message, (turnId) => host.holding(turnId)?.talk.sessionId));
    }),
    host.onDidPost((message) => {
      if (message.type === "rerun") heard(timeline.hear(message, () => undefined));
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("dapAi.history") && !isOn()) void causes.empty();
    }),
    vscode.commands.registerCommand("dapAi.searchHistory", () => search(causes)),
    vscode.commands.registerCommand("dapAi.emptyHistory", () => causes.empty()),
    vscode.commands.registerCommand("dapAi.showTurn", async (turnId: unknown) => {
      const held = typeof turnId === "string" ? host.holding(turnId) : undefined;
      if (!held) return;
      host.show(held.talk);
      await view.focus();
    }),
    vscode.commands.registerCommand("dapAi.openPlace", async (file: unknown, line: unknown) => {
      if (typeof file === "string" && typeof line === "number") await openLocation(file, line, host.session()?.session);
    }),
  );

  function heard(row: StopRow | undefined): void {
    if (!row) return;
    update();
    void keep(row);
  }
}

function below(row: Row): Row[] {
  if (row.kind !== "stop") return [];
  const { asked, earlier } = row.stop;
  const before: Row[] = earlier ? [{ kind: "earlier", cause: earlier }] : [];
  return [...before, ...asked.map((each) => ({ kind: "asked" as const, asked: each }))];
}

function itemOf(row: Row): vscode.TreeItem {
  if (row.kind === "stop") return stopItem(row.stop);
  if (row.kind === "earlier") return earlierItem(row.cause);
  const { question, found, rerun, turnId } = row.asked;
  const item = new vscode.TreeItem(question === "" ? DEFAULT_QUESTION : question);
  item.description = rerun ?? found ?? "…";
  item.iconPath = new vscode.ThemeIcon(rerun?.startsWith("Fixed") === true ? "pass" : "comment");
  item.tooltip = [question, found, rerun].filter((each) => each !== undefined && each !== "").join("\n\n");
  item.command = { command: "dapAi.showTurn", title: "Show the answer", arguments: [turnId] };
  return item;
}

function stopItem({ id, at, reason, cause, file, line, frame, sessionName, asked, earlier }: StopRow): vscode.TreeItem {
  const place = file === undefined ? (frame ?? reason) : `${path.basename(file)}:${line ?? 1}`;
  const isOpen = asked.length > 0 || earlier !== undefined;
  const item = new vscode.TreeItem(place, isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
  item.id = `${id} ${isOpen}`;
  item.description = [cause ?? reason, timeOf(at)].join(" · ");
  item.iconPath = new vscode.ThemeIcon(ICONS[reason] ?? "debug-stackframe");
  item.tooltip = [`${place}${frame === undefined ? "" : ` in ${frame}`}`, cause ?? reason, sessionName].join("\n");
  if (file !== undefined) item.command = { command: "dapAi.openPlace", title: "Open the line", arguments: [file, line ?? 1] };
  return item;
}

function earlierItem(cause: Cause): vscode.TreeItem {
  const item = new vscode.TreeItem(`You had this cause ${dayOf(cause.at)}`);
  item.description = `${cause.isFixed ? "fixed then · " : ""}${cause.found}`;
  item.iconPath = new vscode.ThemeIcon("history");
  item.tooltip = cause.found;
  item.command = { command: "dapAi.openPlace", title: "Open the line", arguments: [cause.file, cause.line] };
  return item;
}

/** VS Code's own list, which can be searched. */
async function search(causes: Causes): Promise<void> {
  const items = (await causes.all()).map((cause) => ({
    label: `${path.basename(cause.file)}:${cause.line} · ${cause.type}`.replaceAll("$(", "$\u200b("),
    description: cause.found,
    detail: [timeOf(cause.at, true), ...(cause.isFixed ? ["fixed"] : []), cause.reason].join(" · "),
    cause,
  }));
  const options = { title: "Causes that answers have named", placeHolder: "Search by place, exception, cause or day", matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen) await openLocation(chosen.cause.file, chosen.cause.line);
}

function timeOf(at: number, withDay = false): string {
  return new Date(at).toLocaleString(undefined, withDay ? { dateStyle: "full", timeStyle: "short" } : { timeStyle: "medium" });
}

/** `today at 14:03`, `on Tuesday`, `on 3 March`. */
export function dayOf(at: number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  const days = Math.round((startOf(today) - startOf(then)) / 86_400_000);
  if (days === 0) return `today at ${then.toLocaleTimeString(undefined, { timeStyle: "short" })}`;
  if (days === 1) return "yesterday";
  return `on ${then.toLocaleDateString(undefined, days < 7 ? { weekday: "long" } : { day: "numeric", month: "long" })}`;
}

function startOf(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
}

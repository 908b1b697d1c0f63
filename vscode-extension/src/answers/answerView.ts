/** The answer view: a webview view beside Variables, and the same as an editor tab. It renders; `AnswerHost` knows. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { answerHtml } from "./answerHtml";
import { log, textOf } from "../log";
import type { FromView, HostMessage, ViewCommand, ViewMessage, ViewState } from "../shared/messages";

/** What the view is a picture of. */
export interface AnswerHost {
  /** All that a view which has just been loaded shows. */
  state(): ViewState;
  /** What the user did in a view; `ready` never comes: it is answered with `state()`. */
  onMessage(message: ViewMessage): void;
  /** Every change from then on, for all views. */
  onDidPost(listener: (message: HostMessage) => void): vscode.Disposable;
}

/** Of the view in package.json. */
export const VIEW_ID = "dapAi.answer";
/** Of the editor tab. */
export const TAB_TYPE = "dapAi.answerTab";
/** Opens the editor tab. */
export const OPEN_TAB_COMMAND = "dapAi.openAnswerInEditor";

/** Of package.json: a container of our own in the secondary side bar, empty and not to be seen until the view is in it. */
const ROOM = "workbench.view.extension.dapAiRoom";
/** The first version whose extensions can have one there. */
const WITH_ROOM = [1, 106];
/** The view was moved for room: from then on it is where the user has it. */
const WAS_MOVED = "dapAi.viewWasMoved";

const COMMANDS: Record<Exclude<ViewCommand["command"], "makeRoom">, string> = {
  start: "workbench.action.debug.start",
};

/** Registers the view, the tab with its serializer, and the command that opens the tab. */
export function registerAnswerView(context: vscode.ExtensionContext, host: AnswerHost): AnswerView {
  const view = new AnswerView(context.extensionUri, host, context.globalState);
  context.subscriptions.push(
    view,
    vscode.window.registerWebviewViewProvider(VIEW_ID, view),
    vscode.window.registerWebviewPanelSerializer(TAB_TYPE, view),
    vscode.commands.registerCommand(OPEN_TAB_COMMAND, () => {
      view.openTab();
    }),
  );
  return view;
}

/** All places that show the answer; what the host posts goes to each of them that is loaded. */
export class AnswerView implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly places = new Set<Place>();
  private readonly subscription: vscode.Disposable;
  private panel: vscode.WebviewPanel | undefined;
  private sideView: vscode.WebviewView | undefined;
  /** A `focus` that came before any place was loaded. */
  private waiting: HostMessage | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly host: AnswerHost,
    private readonly memory: vscode.Memento,
  ) {
    this.subscription = host.onDidPost((message) => {
      this.post(message);
    });
  }

  /** Whether one of the places is in sight. */
  get isVisible(): boolean {
    return this.panel?.visible === true || this.sideView?.visible === true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const place = this.add(view.webview, "panel");
    this.sideView = view;
    view.onDidChangeVisibility(() => {
      // A hidden view is unloaded; it says `ready` again when it is shown.
      if (!view.visible) place.loaded = false;
    });
    view.onDidDispose(() => {
      this.places.delete(place);
      if (this.sideView === view) this.sideView = undefined;
    });
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.adopt(panel);
    return Promise.resolve();
  }

  /** Shows the tab beside the editor; there is one. */
  openTab(): void {
    if (this.panel) this.panel.reveal();
    else this.adopt(vscode.window.createWebviewPanel(TAB_TYPE, "Ask", vscode.ViewColumn.Beside));
  }

  /** Shows a view, in the side bar unless the tab is in sight, and puts the cursor into its input. */
  async focus(question?: string): Promise<void> {
    this.waiting = question === undefined ? { type: "focus" } : { type: "focus", question };
    if (this.panel?.visible) this.panel.reveal();
    else await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
    this.deliverWaiting();
  }

  /**
   * The view begins a few lines high below those of VS Code, which lets no extension say otherwise: the first time that
   * it is looked at there, it moves to the secondary side bar, where it has all the height. Only once: whoever moves it
   * back, or anywhere else, has said where it is to be.
   */
  private async makeRoom(): Promise<void> {
    if (this.panel?.visible || this.memory.get(WAS_MOVED) === true || !hasRoom()) return;
    await this.memory.update(WAS_MOVED, true);
    await vscode.commands.executeCommand("vscode.moveViews", { viewIds: [VIEW_ID], destinationId: ROOM });
  }

  dispose(): void {
    this.subscription.dispose();
    this.panel?.dispose();
    this.places.clear();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    const place = this.add(panel.webview, "tab");
    panel.onDidChangeViewState(() => {
      if (!panel.visible) place.loaded = false;
    });
    panel.onDidDispose(() => {
      this.places.delete(place);
      if (this.panel === panel) this.panel = undefined;
    });
  }

  private add(webview: vscode.Webview, kind: "panel" | "tab"): Place {
    const dist = vscode.Uri.joinPath(this.extensionUri, "dist");
    const place: Place = { webview, loaded: false };
    this.places.add(place);
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    webview.onDidReceiveMessage((message: FromView) => {
      this.receive(place, message);
    });
    webview.html = answerHtml({
      nonce: randomBytes(18).toString("base64url"),
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, "view.js")).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(dist, "view.css")).toString(),
      place: kind,
    });
    return place;
  }

  private receive(place: Place, message: FromView): void {
    switch (message.type) {
      case "ready":
        place.loaded = true;
        void place.webview.postMessage({ type: "state", state: this.host.state() } satisfies HostMessage);
        this.deliverWaiting();
        return;
      case "command":
        if (message.command === "makeRoom") this.makeRoom().catch((error: unknown) => { log().debug(`the view stays: ${textOf(error)}`); });
        else if (Object.hasOwn(COMMANDS, message.command)) void vscode.commands.executeCommand(COMMANDS[message.command]);
        return;
      default:
        this.host.onMessage(message);
    }
  }

  private post(message: HostMessage): void {
    for (const place of this.places) if (place.loaded) void place.webview.postMessage(message);
  }

  private deliverWaiting(): void {
    const loaded = [...this.places].filter((place) => place.loaded);
    const place = loaded.find((each) => each.webview === this.panel?.webview && this.panel.visible) ?? loaded[0];
    if (!place || !this.waiting) return;
    void place.webview.postMessage(this.waiting);
    this.waiting = undefined;
  }
}

function hasRoom(): boolean {
  const [major = 0, minor = 0] = vscode.version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = WITH_ROOM;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** One webview and whether its script listens. */
interface Place {
  webview: vscode.Webview;
  loaded: boolean;
}

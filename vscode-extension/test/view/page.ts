/** The built view in a plain browser, with a scripted host that plays `HostMessage`s and records what the view says. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";

import { chromium, type Browser, type Locator, type Page } from "playwright-core";

import { answerHtml } from "../../src/answers/answerHtml";
import { runHtml } from "../../src/runs/runHtml";
import type { FromView, HostMessage } from "../../src/shared/messages";
import type { RunHostMessage, RunViewMessage } from "../../src/shared/runMessages";
import { THEMES, WEBVIEW_STYLE, type ThemeName } from "./themes";

/** Where run.mjs has put the built view. */
declare const __VIEW__: string;

const TEST_MS = 120_000;
const ORIGIN = "http://view.test";
const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];
const BROWSER = process.env["DAP_AI_CHROMIUM"] ?? CANDIDATES.find((path) => existsSync(path));

export interface Options {
  theme?: ThemeName;
  width?: number;
  height?: number;
  /** `run`: the view of runs, in the place of the answer view. */
  place?: "panel" | "tab" | "run";
  forcedColors?: boolean;
  /** A page of its own, since the test changes it for good. */
  alone?: boolean;
}

interface Recorder {
  sent: FromView[];
  violations: string[];
}

let browser: Promise<Browser> | undefined;
/** Pages that no test uses now, by what cannot be changed of one: to open one takes longer than most tests. */
const idle = new Map<string, View>();

after(async () => {
  await (await browser)?.close();
});

/** A test that needs the browser: skipped, visibly, where there is none. */
export function viewTest(name: string, run: (view: View) => Promise<void>, options: Options = {}): void {
  const skip = BROWSER === undefined ? "no Chromium here; DAP_AI_CHROMIUM names one" : false;
  test(name, { skip, timeout: TEST_MS }, async () => {
    const view = await View.open(options);
    try {
      await run(view);
      await view.assertHarmless();
    } catch (error) {
      await view.end();
      throw error;
    }
    await view.close();
  });
}

export class View {
  private readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private options: Options,
  ) {}

  static async open(options: Options = {}): Promise<View> {
    const kind = kindOf(options);
    const view = idle.get(kind) ?? (await View.make(options));
    idle.delete(kind);
    await view.begin(options);
    return view;
  }

  private static async make(options: Options): Promise<View> {
    browser ??= chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    const context = await (await browser).newContext({
      reducedMotion: "reduce",
      ...(options.forcedColors === true ? { forcedColors: "active" as const } : {}),
    });
    const view = new View(await context.newPage(), options);
    await view.prepare();
    return view;
  }

  /** Leaves the page to the next test. */
  async close(): Promise<void> {
    const kind = kindOf(this.options);
    if (this.options.alone === true || idle.has(kind)) await this.end();
    else idle.set(kind, this);
  }

  /** Nobody gets this page any more. */
  async end(): Promise<void> {
    await this.page.context().close();
  }

  /** Plays messages of the host, in one go. */
  async post(...messages: (HostMessage | RunHostMessage)[]): Promise<void> {
    await this.page.evaluate((all) => {
      for (const each of all) window.dispatchEvent(new MessageEvent("message", { data: each }));
    }, messages);
  }

  /** What the view has said since the last call, without `ready`. */
  async sent(): Promise<FromView[]> {
    const all = await this.page.evaluate(() => (window as unknown as { recorder: Recorder }).recorder.sent.splice(0));
    return all.filter((each) => each.type !== "ready");
  }

  /** The same of the view of runs. */
  async sentOfRun(): Promise<RunViewMessage[]> {
    return (await this.sent()) as unknown as RunViewMessage[];
  }

  /** As VS Code does when a view is hidden and shown again. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.dress();
  }

  find(selector: string): Locator {
    return this.page.locator(selector);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }

  get input(): Locator {
    return this.page.getByRole("textbox", { name: "Question" });
  }

  /** What screen readers are told, politely. */
  async announced(): Promise<string> {
    return (await this.find("[aria-live=polite]").textContent()) ?? "";
  }

  /** What a test has provoked itself is no fault. */
  forgive(): void {
    this.faults.length = 0;
  }

  /** The policy was kept, nothing was loaded, nothing failed. */
  async assertHarmless(): Promise<void> {
    const violations = await this.page.evaluate(() => (window as unknown as { recorder: Recorder }).recorder.violations);
    assert.deepEqual([...violations, ...this.faults], []);
  }

  private async prepare(): Promise<void> {
    const { page } = this;
    page.setDefaultTimeout(10_000);
    page.setDefaultNavigationTimeout(60_000); // opens what is tested, and is itself no test: a busy machine may take its time
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.context().route("**/*", async (route) => {
      const { pathname, origin } = new URL(route.request().url());
      const body = origin === ORIGIN ? this.file(pathname) : undefined;
      if (body) {
        await route.fulfill(body);
        return;
      }
      this.faults.push(`request: ${route.request().url()}`);
      await route.abort();
    });
    await page.addInitScript(() => {
      const recorder: Recorder = { sent: [], violations: [] };
      document.addEventListener("securitypolicyviolation", (event) => recorder.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
      Object.assign(window, {
        recorder,
        acquireVsCodeApi: () => ({
          postMessage: (message: FromView) => recorder.sent.push(structuredClone(message)),
          getState: (): unknown => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
          setState: (state: unknown) => {
            sessionStorage.setItem("state", JSON.stringify(state));
          },
        }),
      });
    });
  }

  private file(path: string): { contentType: string; body: string | Buffer } | undefined {
    if (path === "/") {
      const { place = "panel" } = this.options;
      const parts = (name: string): { nonce: string; scriptUri: string; styleUri: string } => ({ nonce: "n0nce", scriptUri: `${ORIGIN}/${name}.js`, styleUri: `${ORIGIN}/${name}.css` });
      const html = place === "run" ? runHtml(parts("page")) : answerHtml({ ...parts("view"), place });
      // VS Code puts its own style before everything of the page.
      return { contentType: "text/html", body: html.replace("<head>", `<head><style>${WEBVIEW_STYLE}</style>`) };
    }
    if (/^\/(view|page)\.js$/.test(path)) return { contentType: "text/javascript", body: readFileSync(join(__VIEW__, path)) };
    if (/^\/(view|page)\.css$/.test(path)) return { contentType: "text/css", body: readFileSync(join(__VIEW__, path)) };
    return path === "/favicon.ico" ? { contentType: "image/x-icon", body: "" } : undefined;
  }

  /** As if nobody had used the page. */
  private async begin(options: Options): Promise<void> {
    this.options = options;
    this.forgive();
    await this.page.setViewportSize({ width: options.width ?? 340, height: options.height ?? 720 });
    await this.page.mouse.move(0, 0);
    if (this.page.url() !== "about:blank") await this.page.evaluate(() => { sessionStorage.clear(); });
    await this.page.goto(ORIGIN);
    await this.dress();
  }

  /** As VS Code sets a theme: variables on the root, a class on the body. */
  private async dress(): Promise<void> {
    const theme = THEMES[this.options.theme ?? "dark"];
    const tab = this.options.place === "tab" || this.options.place === "run";
    await this.page.evaluate(({ theme, tab }) => {
      for (const [name, value] of Object.entries(theme.variables)) document.documentElement.style.setProperty(`--vscode-${name}`, value);
      document.documentElement.style.background = theme.variables[tab ? "editor-background" : "sideBar-background"] ?? "";
      document.body.classList.add(theme.className);
    }, { theme, tab });
  }
}

function kindOf({ forcedColors }: Options): string {
  return `${forcedColors === true}`;
}

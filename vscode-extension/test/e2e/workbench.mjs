// VS Code in a page, as a person uses it.
import { AnswerPanel } from "./panel.mjs";
import { patient } from "./patience.mjs";

const MOST_TRIES = 6;
/** Editors, and notifications. */
const LEFT = ".tabs-container .tab, .notification-list-item";

/** Opens VS Code in a new page and waits until it can be used. */
export async function openWorkbench(browser, server, { theme } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    colorScheme: theme === "light" ? "light" : "dark",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patient(60_000));
  await page.goto(server.url, { waitUntil: "domcontentloaded" });
  const workbench = new Workbench(page, server, theme);
  await workbench.ready();
  return workbench;
}

/** In the page: the palette is closed, or shows what the command itself asks. */
function isOver(typed) {
  const widget = document.querySelector(".quick-input-widget");
  return !widget || widget.style.display === "none" || widget.querySelector("input").value !== typed;
}

export class Workbench {
  constructor(page, server, theme) {
    this.page = page;
    this.server = server;
    this.theme = theme;
    /** The answers in the side bar. */
    this.panel = new AnswerPanel(this, "panel");
    /** The answers as an editor tab. */
    this.tab = new AnswerPanel(this, "tab");
    this.stopped = page.locator(".debug-toolbar .codicon-debug-continue");
    this.topFrame = page.locator(".debug-call-stack .stack-frame").first();
  }

  async ready() {
    await this.page.locator(".monaco-workbench .activitybar").waitFor();
  }

  /** Reloads the window, by VS Code's own command: it writes its storage first. */
  async reload() {
    const loaded = this.page.waitForEvent("domcontentloaded");
    await this.command("Developer: Reload Window", { leaves: true });
    await loaded;
    await this.ready();
  }

  /** Runs a command by the palette. `leaves`: the page goes away. */
  async command(title, { leaves = false } = {}) {
    await this.choose(`>${title}`, title, { leaves });
  }

  /**
   * Types into the palette, and clicks the row with this text. A key press can come before VS Code listens to it, and a
   * row before the extension that makes it available: only the palette is tried again, with more patience each time.
   */
  async choose(typed, text, { leaves = false } = {}) {
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
    for (let tries = 1; ; tries++) {
      const timeout = patient(1000) * tries;
      await this.page.keyboard.press("F1");
      try {
        await input.waitFor({ timeout });
        await input.fill(typed, { timeout: patient(1000) }); // a change of the focus closes the palette
        await row.waitFor({ timeout });
        await row.click({ timeout }); // not Enter: another row may still be the chosen one
        if (!leaves) await this.page.waitForFunction(isOver, typed, { timeout: 2 * timeout });
        return;
      } catch (error) {
        await this.page.keyboard.press("Escape");
        if (tries === MOST_TRIES) throw error;
      }
    }
  }

  /** Chooses an entry of the quick pick that is open. */
  async pick(text) {
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first().click();
  }

  async openFile(name) {
    await this.page.locator(".activitybar .action-item:not(.checked) .codicon-explorer-view-icon").click({ timeout: 500 }).catch(() => undefined);
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
    await this.page.locator(`.tab[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".monaco-editor .view-line").first().waitFor();
  }

  /** Starts a configuration of launch.json; returns when the program has stopped. */
  async debug(name) {
    await this.start(name);
    await this.stopped.waitFor();
  }

  /** Starts a configuration of launch.json. */
  async start(name) {
    await this.choose(`debug ${name}`, name);
    await this.page.locator(".debug-toolbar").waitFor();
  }

  /** Starts one that will not stop; returns when it has ended. */
  async run(name) {
    const toolbar = this.page.locator(".debug-toolbar");
    await this.choose(`debug ${name}`, name);
    await toolbar.waitFor();
    await toolbar.waitFor({ state: "hidden" });
  }

  /** Shows the answers in the side bar, with room for them: new views beside those of VS Code begin small. */
  async showPanel() {
    await this.command("dap-ai: Show Answers");
    await this.fold("Watch", "Call Stack", "Breakpoints");
    await this.panel.frame();
  }

  /** Leaves the room of these views of the side bar to the others. */
  async fold(...names) {
    for (const name of names) {
      const header = this.page.locator(`.pane-header.expanded[aria-label^="${name} Section"]`);
      if (await header.isVisible()) await header.click({ position: { x: 60, y: 8 } });
    }
  }

  /** Opens a view of the side bar that is folded. */
  async unfold(name) {
    await this.page.locator(`.pane-header:not(.expanded)[aria-label^="${name} Section"]`).click({ position: { x: 60, y: 8 } });
  }

  /** Shows the answers as an editor tab. */
  async showTab() {
    await this.command("dap-ai: Open Answers in an Editor");
    await this.tab.frame();
  }

  /** Waits until Variables shows one, opening the scope that holds it: VS Code may do so itself, a little later. */
  async openVariable(name) {
    const variable = this.page.locator(".debug-variables .monaco-list-row", { hasText: name });
    const scope = this.page.locator(".debug-variables .monaco-list-row", { hasText: "Locals" });
    await this.tried(async (timeout) => {
      await variable.waitFor({ timeout });
    }, async () => {
      await scope.waitFor();
      if ((await scope.getAttribute("aria-expanded")) === "false") await scope.click();
    });
  }

  /** Opens the context menu of `row` and chooses an entry. A row that is drawn anew just then shows none. */
  async menu(row, text) {
    await this.tried(async (timeout) => {
      await this.page.locator(".monaco-menu .action-item", { hasText: text }).waitFor({ timeout });
    }, () => row.click({ button: "right", timeout: patient(5000) }).catch(() => undefined));
    await this.entry(text);
  }

  /** Waits for something with more patience each time, and does what brings it about before each. */
  async tried(wait, act) {
    for (let tries = 1; ; tries++) {
      await act();
      try {
        return await wait(patient(1000) * tries);
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
      }
    }
  }

  /** Chooses an entry of the menu that is open. It takes no click in its first tenth of a second. */
  async entry(text) {
    const entry = this.page.locator(".monaco-menu .action-item", { hasText: text });
    await entry.waitFor();
    for (let tries = 0; tries < 10 && (await entry.isVisible()); tries++) {
      await entry.click({ timeout: 2000 }).catch(() => undefined);
      await entry.waitFor({ state: "hidden", timeout: 500 }).catch(() => undefined);
    }
  }

  /** Opens the document of a frame. A click is lost where the stack is drawn anew just then: frames come one after the other. */
  async openFrame(text, document) {
    const tab = this.page.locator(`.tab[data-resource-name$="${document}"]`);
    await this.tried((timeout) => tab.waitFor({ timeout }), () => this.page.locator(".debug-call-stack .stack-frame", { hasText: text }).click());
  }

  /** Types a line into the debug console. */
  async type(line) {
    await this.command("Debug Console: Focus on Debug Console View");
    await this.page.locator(".repl-input-wrapper .monaco-editor").click();
    await this.page.keyboard.type(line);
    await this.page.keyboard.press("Escape"); // the list of completions
    await this.page.keyboard.press("Enter");
  }

  /** Waits for a text in the debug console. */
  async console(text) {
    const row = this.page.locator(".repl .monaco-list-row", { hasText: text }).first();
    if (!(await row.isVisible())) {
      await this.command("Debug Console: Focus on Debug Console View");
      await this.newestConsole();
    }
    await row.waitFor();
  }

  /** Of several sessions, ended ones too, the console may show another one than that which was started last. */
  async newestConsole() {
    const sessions = this.page.locator(".part.panel .title select");
    if (!(await sessions.isVisible())) return;
    await sessions.selectOption({ index: (await sessions.locator("option").count()) - 1 });
  }

  /** Restarts the session; returns when the program has stopped again. */
  async restart() {
    await this.page.keyboard.press("Control+Shift+F5");
    await this.stopped.waitFor({ state: "hidden" });
    await this.stopped.waitFor();
  }

  /** Changes the settings; returns when VS Code has read them. */
  async settings(more) {
    const title = this.server.settings(more);
    await this.page.waitForFunction((title) => document.title === title, title);
  }

  /** As a system with dark or light colours. */
  async dress(theme) {
    this.theme = theme;
    await this.page.emulateMedia({ colorScheme: theme === "light" ? "light" : "dark" });
  }

  /** As at this zoom of the whole window: 2 is 200 %. */
  async zoom(factor) {
    await this.page.setViewportSize({ width: 1400 / factor, height: 900 / factor });
  }

  /** Ends all sessions, and leaves nothing to the next one that uses the window: see TIDY_UP of server.mjs. */
  async tidyUp() {
    await this.page.keyboard.press("Escape"); // a menu or a list that is open
    await this.endDebugging();
    const isTidy = (selector) => !document.querySelector(selector);
    await this.tried((timeout) => this.page.waitForFunction(isTidy, LEFT, { timeout }), () => this.page.keyboard.press("Control+Alt+Shift+F12"));
  }

  /** Ends all sessions, one after the other. One may end by itself just now: the key then finds nothing to do. */
  async endDebugging() {
    const toolbar = this.page.locator(".debug-toolbar");
    for (let left = 8; left > 0 && (await toolbar.isVisible()); left--) {
      await this.page.keyboard.press("Shift+F5");
      await toolbar.waitFor({ state: "hidden", timeout: 2000 }).catch(() => undefined);
    }
    await toolbar.waitFor({ state: "hidden" });
  }

  /** The text of the line that has the cursor, as the status bar names it. */
  async atLine(line) {
    await this.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` }).waitFor();
  }

  /** Waits for a text in the status bar. */
  async says(text) {
    await this.page.locator(".statusbar-item", { hasText: text }).first().waitFor();
  }

  notification(text) {
    return this.page.locator(".notification-list-item", { hasText: text });
  }

  async screenshot(path) {
    await this.page.screenshot({ path, animations: "disabled" });
  }

  async close() {
    await this.page.context().close();
  }
}

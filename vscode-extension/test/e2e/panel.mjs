// The answer view, wherever VS Code shows it: a webview is two iframes deep.
const FIND_MS = 60_000;

export class AnswerPanel {
  /** `place`: `panel` or `tab`, as `data-place` says. */
  constructor(workbench, place) {
    this.workbench = workbench;
    this.place = place;
  }

  /** Its frame; a view that is shown again has another one. */
  async frame() {
    const { page } = this.workbench;
    const end = Date.now() + FIND_MS;
    for (;;) {
      for (const frame of page.frames()) {
        const found = await frame.$(`body[data-place="${this.place}"] .composer`).catch(() => null);
        if (found && (await found.isVisible().catch(() => false))) return frame;
      }
      if (Date.now() > end) throw new Error(`The answer view (${this.place}) is not to be seen.`);
      await page.waitForTimeout(50); // frames come and go without an event that says what they hold
    }
  }

  async locator(selector, options) {
    return (await this.frame()).locator(selector, options);
  }

  /** Chooses one of several debug sessions by its name. */
  async choose(session) {
    const picker = await this.locator('select[aria-label="Debug session"]');
    const option = picker.locator("option", { hasText: session }).first();
    await option.waitFor({ state: "attached" });
    await picker.selectOption(await option.getAttribute("value"));
  }

  /** The first button of this text or label in it. */
  async button(text) {
    return (await this.frame()).getByRole("button", { name: new RegExp(`^${text}\\b`) }).first();
  }

  /** The steps of the newest answer; their list may be folded. */
  async openSteps() {
    const turn = await this.turn();
    const list = turn.locator("details.steps").first();
    if ((await list.getAttribute("open")) === null) await list.locator("summary.steps-summary").click();
    return turn.locator("details.step > summary");
  }

  /** What an answer folds below its verdict, if it begins with one. */
  async openDetails() {
    const folded = (await this.turn()).locator("details.rest:not([open]) > summary");
    if ((await folded.count()) > 0) await folded.first().click();
  }

  /** Types a question and sends it, once. An empty one is sent again if nothing was asked: while an answer is made it asks nothing. */
  async ask(question) {
    let turns;
    let sent = false;
    for (let tries = 0; !sent && tries < 6; tries += 1) {
      sent = await this.steadily(async (frame) => {
        const asked = frame.locator("article.turn");
        turns ??= await asked.count();
        if ((await asked.count()) > turns) return true;
        await frame.locator(".composer textarea").fill(question);
        await frame.locator(".composer textarea").press("Enter");
        return question !== "" || this.appears(frame, asked.nth(turns));
      });
    }
  }

  /** Whether something appears within some seconds. Throws if its frame has gone. */
  async appears(frame, what) {
    try {
      await what.waitFor({ timeout: 10_000 });
      return true;
    } catch (error) {
      if (frame.isDetached()) throw error;
      return false;
    }
  }

  /** The `number`th question and its answer, from 1; the newest without. */
  async turn(number) {
    const turns = await this.locator("article.turn");
    return number === undefined ? turns.last() : turns.nth(number - 1);
  }

  /** Waits for the end of an answer. Returns its text. */
  async answered(number, ms = 120_000) {
    return this.steadily(async () => {
      const turn = await this.turn(number);
      await turn.waitFor();
      await turn.and((await this.frame()).locator(".turn:not(.running)")).waitFor({ timeout: ms });
      return turn.innerText();
    });
  }

  /** Waits for a text in it. */
  async says(text, ms = 120_000) {
    await this.steadily((frame) => frame.locator("main", { hasText: text }).waitFor({ timeout: ms }));
  }

  /** Does something in its frame; from the beginning, if VS Code shows the view anew meanwhile: that is another frame. */
  async steadily(action) {
    for (;;) {
      const frame = await this.frame();
      try {
        return await action(frame);
      } catch (error) {
        if (!frame.isDetached()) throw error;
      }
    }
  }
}

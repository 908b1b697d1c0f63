/** Rules that hold for every state: structure for screen readers, and text that can be read in each theme. */

import assert from "node:assert/strict";

import { clipped } from "../clipped.mjs";
import { viewTest, type Options, type View } from "./page";
import { broken, faint } from "./structure";
import { APPROVAL, OFFLINE_ANSWER, OFFLINE_USAGE, OTHER, RUNNING, STEPS, STOPPED, VERDICT_ANSWER, finished, state, talk, turn } from "./samples";
import type { ThemeName } from "./themes";

const masked = [{ placeholder: "<secret:3f2a>", rule: "name: password", times: 2 }];
const approvals = [{ kind: "approval" as const, approval: { ...APPROVAL, approvalId: "p0", outcome: "allowed" as const } }, { kind: "approval" as const, approval: APPROVAL }];

const SCENES: Record<string, (view: View) => Promise<void>> = {
  "no session": (view) => view.post({ type: "state", state: state({ sessions: [], sessionId: "" }) }),
  "running": (view) => view.post({ type: "state", state: state({ sessions: [RUNNING] }) }),
  "stopped": (view) => view.post({ type: "state", state: state() }),
  "consent": (view) => view.post({ type: "state", state: talk(turn({ parts: [...STEPS.map((each) => ({ kind: "step" as const, step: each })), ...approvals] })) }),
  "offline": (view) => view.post({ type: "state", state: talk(finished({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE })) }),
  "verdict": (view) => view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE })) }),
  "failed": (view) => view.post({ type: "state", state: talk(turn({ error: "The endpoint says 401." })) }),
  "answered": async (view) => {
    await view.post({ type: "state", state: { ...talk(finished({ masked }, { id: "t0" }), finished({ masked, stale: true, reason: "limit" })), sessions: [STOPPED, OTHER], history: [{ id: "c1", title: "now" }, { id: "c0", title: "before" }] } });
    await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "applied" });
    for (const list of await view.find(".steps-summary").all()) await list.click();
    await view.find(".step summary").last().click();
    await view.button("Earlier conversations").click();
  },
};

const PLACES: Options[] = [{ place: "panel", width: 280 }, { place: "tab", width: 900 }];

for (const options of PLACES) {
  viewTest(`in ${options.place === "tab" ? "an editor" : "a side bar"} every state keeps the rules of structure`, async (view) => {
    for (const [name, scene] of Object.entries(SCENES)) {
      await view.reload();
      await scene(view);
      assert.deepEqual(await broken(view, "body #app > main, .middle > main", "body #app > footer, .middle > footer"), [], name);
    }
  }, options);
}

// A zoom of 200 % leaves half of the pixels.
for (const options of [{ place: "panel", width: 150, height: 380 }, { place: "panel", width: 220, height: 380 }, { place: "tab", width: 350, height: 400 }] as Options[]) {
  viewTest(`at a zoom of 200 % nothing is clipped in a ${options.place ?? ""} of ${options.width ?? 0} pixels`, async (view) => {
    for (const [name, scene] of Object.entries(SCENES)) {
      await view.reload();
      await scene(view);
      assert.deepEqual(await view.page.evaluate(clipped), [], name);
    }
  }, options);
}

for (const theme of ["light", "dark", "contrast"] as ThemeName[]) {
  viewTest(`every text can be read in the theme ${theme}`, async (view) => {
    for (const [name, scene] of Object.entries(SCENES)) {
      await view.reload();
      await scene(view);
      assert.deepEqual(await faint(view), [], name);
    }
  }, { theme, place: "tab", width: 900 });
}

viewTest("what has the focus can be seen, whatever it is", async (view) => {
  await view.post({ type: "state", state: { ...talk(finished()), history: [{ id: "c1", title: "now" }] } });
  await view.page.keyboard.press("Tab");
  for (let stops = 0; stops < 60; stops++) {
    const { shown, name } = await view.page.evaluate(() => {
      const element = document.activeElement ?? document.body;
      const box = element.closest(".input-box") ?? element;
      const style = getComputedStyle(box);
      const rect = element.getBoundingClientRect();
      const isInSight = rect.bottom > 0 && rect.top < innerHeight;
      return { shown: element === document.body || (isInSight && (style.outlineStyle === "solid" || box !== element)), name: element.outerHTML.slice(0, 100) };
    });
    assert.equal(shown, true, name);
    await view.page.keyboard.press("Tab");
  }
});

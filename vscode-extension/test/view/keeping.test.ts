/** What survives a view that is hidden and shown again, and where it scrolls to. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { APPROVAL, STEPS, finished, state, talk, turn } from "./samples";

const LONG = Array.from({ length: 80 }, (_, index) => `Paragraph ${index}.`).join("\n\n");

function distanceToEnd(view: View): Promise<number> {
  return view.find(".scroller").evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
}

viewTest("a draft survives a reload", async (view) => {
  await view.post({ type: "state", state: state() });
  await view.input.fill("half a que");
  await view.reload();
  await view.post({ type: "state", state: state() });
  assert.equal(await view.input.inputValue(), "half a que");
});

viewTest("rows that were opened are open after a reload, and closed ones closed", async (view) => {
  const shown = talk(finished());
  await view.post({ type: "state", state: shown });
  await view.find(".steps-summary").click();
  await view.find(".step summary").nth(3).click();
  await view.find(".section summary").filter({ hasText: "Evidence" }).click();
  await view.page.waitForFunction(() => sessionStorage.getItem("state")?.includes("-t1.evidence"));
  await view.reload();
  await view.post({ type: "state", state: shown });
  const open = (selector: string, index: number): Promise<boolean> => view.find(selector).nth(index).evaluate((element) => (element as HTMLDetailsElement).open);
  assert.equal(await open(".step", 3), true);
  assert.equal(await open(".step", 0), false);
  assert.equal(await open(".section", 0), false);
  await view.find(".step").nth(3).getByText("printed nothing").waitFor();
});

viewTest("another conversation does not inherit what was open", async (view) => {
  await view.post({ type: "state", state: talk(finished()) });
  await view.find(".steps-summary").click();
  await view.find(".step summary").nth(3).click();
  await view.post({ type: "state", state: { ...talk(finished()), conversation: { id: "c2", sessionId: "s1", turns: [finished()] } } });
  const open = await view.find(".step, .steps").evaluateAll((all) => all.filter((each) => (each as HTMLDetailsElement).open).length);
  assert.equal(open, 0);
});

viewTest("the time of a request for confirmation goes on over a reload", async (view) => {
  const shown = talk(turn({ parts: [{ kind: "approval", approval: { ...APPROVAL, timeoutS: 100 } }] }));
  await view.post({ type: "state", state: shown });
  await view.page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem("state") ?? "{}") as { deadlines: Record<string, number> };
    kept.deadlines["p1"] = (kept.deadlines["p1"] ?? 0) - 70_000;
    sessionStorage.setItem("state", JSON.stringify(kept));
  });
  await view.reload();
  await view.post({ type: "state", state: shown });
  assert.match(await view.page.getByRole("timer").innerText(), /^(30|2\d) s left$/);
});

viewTest("a long answer is read from its question on, however long it grows", async (view) => {
  await view.post({ type: "state", state: talk(finished({}, { id: "t0" })) }, { type: "turn", conversationId: "c1", turn: turn() });
  await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: LONG } });
  await view.page.getByText("Paragraph 79.").waitFor();
  await view.page.waitForFunction(() => {
    const top = document.querySelector(".scroller")?.getBoundingClientRect().top ?? 0;
    const question = document.querySelector("[data-turn=t1] .question")?.getBoundingClientRect().top ?? 0;
    return question - top > 0 && question - top < 20;
  });
  await view.button("Go to the end").waitFor();
});

viewTest("a stream is followed once the user is at its end", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: LONG }] })) });
  await view.button("Go to the end").click();
  await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: `\n\n${LONG}\n\nThe very end.` } });
  await view.page.getByText("The very end.").waitFor();
  await view.page.waitForFunction(() => {
    const element = document.querySelector(".scroller");
    return element && element.scrollTop > 0 && element.scrollHeight - element.scrollTop - element.clientHeight < 2;
  });
});

viewTest("a request for confirmation is in sight below a long answer", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "part", turnId: "t1", part: { kind: "answer", text: LONG } });
  await view.post({ type: "part", turnId: "t1", part: { kind: "approval", approval: APPROVAL } });
  await view.page.waitForFunction(() => {
    const box = [...document.querySelectorAll("button")].find((each) => each.textContent === "Deny")?.getBoundingClientRect();
    return box && box.top > 0 && box.bottom < innerHeight;
  });
});

viewTest("why an answer failed is in sight below what had come of it", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "part", turnId: "t1", part: { kind: "answer", text: LONG } });
  await view.page.getByText("Paragraph 79.").waitFor();
  await view.post({ type: "failed", turnId: "t1", error: "The debug session ended." });
  await view.page.waitForFunction(() => {
    const box = document.querySelector(".banner")?.getBoundingClientRect();
    return box && box.top > 0 && box.bottom < innerHeight;
  });
});

viewTest("steps fold when words follow them, but not under the user's hands", async (view) => {
  const steps = STEPS.map((each) => ({ type: "part" as const, turnId: "t1", part: { kind: "step" as const, step: each } }));
  const words = { type: "part" as const, turnId: "t1", part: { kind: "answer" as const, text: "So it is." } };
  await view.post({ type: "state", state: talk(turn()) }, ...steps);
  await view.find(".step summary").nth(1).click();
  await view.post(words, ...steps, words);
  const open = await view.find(".steps").evaluateAll((all) => all.map((each) => (each as HTMLDetailsElement).open));
  assert.deepEqual(open, [true, false]);
});

viewTest("a user who has scrolled up stays there, and a button leads to the end", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: LONG }] })) });
  await view.button("Go to the end").click();
  await view.find(".scroller").hover();
  await view.page.mouse.wheel(0, -900);
  await view.button("Go to the end").waitFor();
  const before = await view.find(".scroller").evaluate((element) => element.scrollTop);
  await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: `\n\n${LONG}\n\nThe very end.` } });
  await view.page.getByText("The very end.").waitFor();
  await view.find(".scroller").evaluate(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
  }));
  assert.ok(await view.find(".scroller").evaluate((element) => element.scrollTop) <= before + 1);
  assert.ok(await distanceToEnd(view) > 500);
  await view.button("Go to the end").click();
  assert.ok(await distanceToEnd(view) < 2);
});

viewTest("a reload finds the place where the user was reading", async (view) => {
  const shown = talk(turn({ parts: [{ kind: "answer", text: LONG }] }));
  await view.post({ type: "state", state: shown });
  await view.find(".scroller").evaluate((element) => {
    element.scrollTop = 300;
  });
  await view.page.waitForFunction(() => sessionStorage.getItem("state")?.includes("\"scrollTop\":300"));
  await view.reload();
  await view.post({ type: "state", state: shown });
  await view.page.waitForFunction(() => document.querySelector(".scroller")?.scrollTop === 300);
});

viewTest("older answers fold their steps away, and each can be had again", async (view) => {
  const older = finished({}, { id: "t0" });
  await view.post({ type: "state", state: talk(older, turn({ parts: STEPS.map((each) => ({ kind: "step" as const, step: each })) })) });
  const open = await view.find(".steps").evaluateAll((all) => all.map((each) => (each as HTMLDetailsElement).open));
  assert.deepEqual(open, [false, true]);
  await view.find(".steps-summary").first().click();
  await view.find(".step").first().waitFor();
});

for (const width of [220, 340, 1000]) {
  viewTest(`nothing is wider than a view of ${width} pixels`, async (view) => {
    const broad = "a_name_that_is_rather_long_".repeat(8);
    await view.post({ type: "state", state: talk(finished({ answer: `${broad} \`${broad}\` ${broad}.py:12\n\n\`\`\`\n${broad}\n\`\`\``, evidence: [{ expression: broad, value: broad, file: `${broad}.py`, line: 1, frameId: 1, threadId: 1, epoch: 1, confirmed: false }] }, { question: broad })) });
    const out = await view.page.evaluate(() => ({
      page: document.documentElement.scrollWidth - innerWidth,
      content: (document.querySelector(".scroller")?.scrollWidth ?? 0) - (document.querySelector(".scroller")?.clientWidth ?? 0),
    }));
    assert.deepEqual(out, { page: 0, content: 0 });
  }, { width });
}

viewTest("in a view of a few lines there is still room for the words", async (view) => {
  for (const shown of [talk(finished()), state(), state({ sessions: [], sessionId: "" })]) {
    await view.post({ type: "state", state: shown });
    const height = await view.find(".scroller").evaluate((element) => element.clientHeight);
    assert.ok(height > 75, `${height} of 150 pixels`);
  }
  await view.post({ type: "state", state: state() });
  const why = await view.button("Why did it stop here?").boundingBox();
  assert.ok(why && why.y > 0 && why.y + why.height < 150, "the button is in sight");
}, { width: 270, height: 150 });

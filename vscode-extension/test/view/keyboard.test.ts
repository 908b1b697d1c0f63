/** The view without a mouse, and as a screen reader has it. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { APPROVAL, OFFLINE_ANSWER, OFFLINE_USAGE, OTHER, STOPPED, ended, finished, state, step, talk, turn } from "./samples";

/** The name of what has the focus. */
function focused(view: View): Promise<string> {
  return view.page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent.trim() ?? "";
  });
}

viewTest("Enter asks, Shift+Enter makes a line, and the input is empty afterwards", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "focus" });
  await view.page.keyboard.type("first");
  await view.page.keyboard.press("Shift+Enter");
  await view.page.keyboard.type("second");
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "first\nsecond" }]);
  assert.equal(await view.input.inputValue(), "");
});

viewTest("Up brings earlier questions back, Down and Escape the draft", async (view) => {
  await view.post({ type: "state", state: talk(finished({}, { id: "t0", question: "" }), finished({}, { question: "two?" })) }, { type: "focus" });
  await view.page.keyboard.type("draft");
  await view.page.keyboard.press("ArrowUp");
  assert.equal(await view.input.inputValue(), "draft");
  await view.page.keyboard.press("Home");
  await view.page.keyboard.press("ArrowUp");
  assert.equal(await view.input.inputValue(), "two?");
  await view.page.keyboard.press("ArrowUp");
  assert.equal(await view.input.inputValue(), "Why did it stop here?");
  await view.page.keyboard.press("ArrowDown");
  assert.equal(await view.input.inputValue(), "two?");
  await view.page.keyboard.press("Escape");
  assert.equal(await view.input.inputValue(), "draft");
});

viewTest("an empty question asks at a stop, and is no follow-up of itself", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "focus" });
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "" }]);
  await view.post({ type: "state", state: talk(finished()) });
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.sent(), []);
});

viewTest("Tab walks through everything that can be used, from top to bottom", async (view) => {
  const parts = [{ kind: "step" as const, step: step() }, { kind: "approval" as const, approval: APPROVAL }];
  await view.post({ type: "state", state: { ...talk(turn({ parts })), sessions: [STOPPED, OTHER], history: [{ id: "c1", title: "x" }] } });
  const names: string[] = [];
  for (let step = 0; step < 30; step++) {
    await view.page.keyboard.press("Tab");
    const name = await focused(view);
    if (names.includes("Stop") && !name) break;
    names.push(name);
    if (name === "Stop") break;
  }
  const expected = ["Debug session", "New conversation", "Earlier conversations", "More actions", "report.py:13", "Conversation", "report.py:13", "inspect", "Action", "Allow once", "Allow for this session", "Deny", "Question", "Answered by", "Stop"];
  const missing = expected.filter((each) => !names.some((name) => name.startsWith(each)));
  assert.deepEqual(missing, [], names.join(" | "));
  assert.ok(names.indexOf("Allow once") < names.indexOf("Question"));
}, { place: "tab" });

viewTest("steps, links, fixes and menus work by keyboard alone", async (view) => {
  await view.post({ type: "state", state: { ...talk(finished()), history: [{ id: "c1", title: "now" }, { id: "c0", title: "before" }] } });
  await view.find(".steps-summary").focus();
  await view.page.keyboard.press("Enter");
  await view.find(".step summary").first().focus();
  await view.page.keyboard.press("Enter");
  assert.equal(await view.find(".step").first().evaluate((element) => (element as HTMLDetailsElement).open), true);
  await view.find(".markdown .link").first().focus();
  await view.page.keyboard.press("Enter");
  await view.find(".frame-link").first().focus();
  await view.page.keyboard.press("Enter");
  await view.button(/Apply fix 1/).focus();
  await view.page.keyboard.press("Enter");
  await view.button("Earlier conversations").focus();
  await view.page.keyboard.press("Enter");
  await view.button("More actions").focus();
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("ArrowDown");
  await view.page.keyboard.press("Enter");
  assert.equal(await focused(view), "More actions");
  assert.deepEqual((await view.sent()).map((each) => each.type), ["openLocation", "openFrame", "applyFix", "openConversation", "exportConversation"]);
}, { place: "tab" });

viewTest("Escape closes a menu and gives the focus back", async (view) => {
  await view.post({ type: "state", state: state() });
  await view.button("More actions").click();
  assert.equal(await view.page.getByRole("menu").count(), 1);
  await view.page.keyboard.press("Escape");
  assert.equal(await view.page.getByRole("menu").count(), 0);
  assert.equal(await focused(view), "More actions");
}, { place: "tab" });

viewTest("Escape stops the answer that is being made, unless it closes a menu", async (view) => {
  await view.post({ type: "state", state: { ...talk(turn()), history: [{ id: "c1", title: "x" }] } });
  await view.button("More actions").click();
  await view.page.keyboard.press("Escape");
  assert.deepEqual(await view.sent(), []);
  await view.page.keyboard.press("Escape");
  await view.page.keyboard.press("Escape");
  assert.deepEqual(await view.sent(), [{ type: "stop", turnId: "t1" }]);
}, { place: "tab" });

viewTest("a question that is written while an answer is made is asked after it", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "focus" });
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.sent(), []);
  assert.equal(await view.button("Ask (Enter)").count(), 0);
  await view.page.keyboard.type("and then?");
  assert.equal(await view.button("Stop").count(), 1);
  await view.button("Ask (Enter)").click();
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "and then?" }]);
});

viewTest("an answer of the user to a request for confirmation keeps the focus at its card", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "approval", approval: APPROVAL }] })) });
  await view.button("Deny").focus();
  await view.page.keyboard.press("Enter");
  await view.post({ type: "approval", turnId: "t1", approvalId: "p1", outcome: "denied" });
  assert.match(await focused(view), /Denied/);
});

viewTest("a stream does not speak; its start, its end and requests for confirmation do", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "turn", conversationId: "c1", turn: turn() });
  await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: "word by word" } });
  await view.page.getByText("word by word").waitFor();
  assert.equal(await view.announced(), "Looking for an answer");
  const live = await view.find("[aria-live], [role=log]").evaluateAll((all) => all.filter((each) => each.textContent.includes("word")).length);
  assert.equal(live, 0);
  await view.post({ type: "part", turnId: "t1", part: { kind: "approval", approval: APPROVAL } });
  assert.match((await view.find("[role=alert]").textContent()) ?? "", /permission is needed.*minimum=2/);
});

viewTest("every button and every link has a name, every picture of meaning a text", async (view) => {
  await view.post({ type: "state", state: { ...talk(finished()), sessions: [STOPPED, OTHER], history: [{ id: "c1", title: "x" }] } });
  const nameless = await view.page.evaluate(() => [...document.querySelectorAll<HTMLElement>("button, [role=link], select, textarea, summary")]
    .filter((each) => !each.getAttribute("aria-label") && !each.textContent.trim())
    .map((each) => each.outerHTML));
  assert.deepEqual(nameless, []);
  const icons = await view.page.evaluate(() => [...document.querySelectorAll("svg")].filter((each) => each.getAttribute("aria-hidden") !== "true" && !each.getAttribute("aria-label")).length);
  assert.equal(icons, 0);
});

viewTest("what has the focus is visible", async (view) => {
  await view.post({ type: "state", state: state() });
  for (let step = 0; step < 6; step++) {
    await view.page.keyboard.press("Tab");
    const style = await view.page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    assert.equal(style, "solid", await focused(view));
  }
});

viewTest("a screen reader is told that an answer begins and ends, and not each of its words", async (view) => {
  await view.post({ type: "state", state: state() });
  await view.page.evaluate(() => {
    const told: string[] = [];
    const live = "[aria-live], [role=status], [role=alert], [role=log]";
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest(live);
        if (region) told.push(region.textContent);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
    Object.assign(window, { told });
  });
  await view.post({ type: "turn", conversationId: "c1", turn: turn() });
  for (const text of ["Because ", "`rows` is ", "empty."]) {
    await view.post({ type: "part", turnId: "t1", part: { kind: "step", step: step() } }, { type: "part", turnId: "t1", part: { kind: "answer", text } });
    await view.page.getByText(text.replaceAll("`", "").trim(), { exact: false }).first().waitFor();
  }
  await view.post({ type: "ended", turnId: "t1", ended: ended({ answer: "Because `rows` is empty.", fixes: [] }) });
  const told = await view.page.evaluate(() => (window as unknown as { told: string[] }).told);
  assert.deepEqual(told, ["Looking for an answer", "The answer is complete"]);
});

viewTest("the parts of an answer are headings for a screen reader, folded or not", async (view) => {
  await view.post({ type: "state", state: talk(finished({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE })) });
  await view.find(".turn").getByRole("heading", { level: 2 }).waitFor();
  const names = (await view.find(".turn").ariaSnapshot()).matchAll(/heading "([^"]+)" \[level=3\]/g);
  assert.deepEqual([...names].map(([, name]) => name), [
    ...["What happened.", "Why", "Run again", "Root cause.", "Recommendation.", "Fix 1"],
    ...["Evidence", "Suspicious lines", "More fixes"],
  ]);
});

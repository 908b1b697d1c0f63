/** The effect of each message of the host, and the cause of each message to it. */

import assert from "node:assert/strict";

import { viewTest } from "./page";
import { ANSWER, APPROVAL, DIFF, FILE, FIXES, OTHER, RUNNING, STEPS, STOPPED, ended, finished, state, step, talk, turn } from "./samples";

viewTest("a view says that it is ready, and shows nothing before it has a state", async (view) => {
  const all = await view.page.evaluate(() => (window as unknown as { recorder: { sent: unknown[] } }).recorder.sent);
  assert.deepEqual(all, [{ type: "ready" }]);
  await view.post({ type: "turn", conversationId: "c1", turn: turn() });
  assert.equal(await view.find(".turn").count(), 0);
});

viewTest("without a session the view teaches, and starts one", async (view) => {
  await view.post({ type: "state", state: { sessions: [], history: [], workspace: [] } });
  assert.match(await view.find(".empty").innerText(), /Start debugging with dap-ai/);
  await view.button("Start debugging").click();
  assert.deepEqual(await view.sent(), [{ type: "command", command: "start" }]);
});

viewTest("while the program runs the view says so, and can pause it and ask why it hangs", async (view) => {
  await view.post({ type: "state", state: state({ sessions: [RUNNING] }) });
  assert.match(await view.find(".empty").innerText(), /Ask when it has stopped\. If it hangs:/);
  await view.button("Pause and ask").click();
  assert.deepEqual(await view.sent(), [{ type: "pauseAndAsk" }]);
  await view.input.fill("why?");
  await view.input.press("Enter");
  assert.deepEqual(await view.sent(), []);
});

viewTest("an error that something caught can be asked about while the program runs", async (view) => {
  const caught = { type: "KeyError", file: FILE, line: 13 };
  await view.post({ type: "state", state: state({ sessions: [{ ...RUNNING, caught }] }) });
  assert.match(await view.find(".empty").innerText(), /An error was caught[\s\S]*KeyError at report\.py:13[\s\S]*no values can be read/);
  await view.button("Why did it happen?").click();
  await view.input.fill("who called it?");
  await view.input.press("Enter");
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "Why did it happen?" }, { type: "ask", question: "who called it?" }]);
});

viewTest("what was asked in an earlier run is not shown as the running program's own", async (view) => {
  const { conversation, ...rest } = talk(finished());
  await view.post({ type: "state", state: { ...rest, sessions: [RUNNING], conversation: { ...conversation!, isOver: true } } });
  assert.match(await view.find(".stop-line").innerText(), /Running\. Below: an earlier run/);
  await view.button("Pause and ask").click();
  assert.deepEqual(await view.sent(), [{ type: "pauseAndAsk" }]);
});

viewTest("at a stop the view shows where, asks why with one click, and suggests questions", async (view) => {
  await view.post({ type: "state", state: state() });
  assert.match(await view.find(".top").innerText(), /exception in average[\s\S]*report\.py:13/);
  await view.button("Why did it stop here?").click();
  await view.button("How do I fix it?").click();
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "" }, { type: "ask", question: "How do I fix it?" }]);
});

viewTest("sessions says what runs and what stops, with a picker for several", async (view) => {
  await view.post({ type: "state", state: state({ sessions: [RUNNING] }) }, { type: "sessions", sessions: [STOPPED, OTHER], sessionId: "s2" });
  const picker = view.page.getByRole("combobox", { name: "Debug session" });
  assert.equal(await picker.inputValue(), "s2");
  assert.equal(await picker.locator("option:checked").innerText(), "C: prices — prices.c:88");
  await picker.selectOption("s1");
  assert.deepEqual(await view.sent(), [{ type: "selectSession", sessionId: "s1" }]);
});

viewTest("answerer says who answers and what leaves the machine; its button changes it", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "answerer", answerer: { kind: "editor", name: "GPT-5 mini", leaves: "Values leave this machine." } });
  assert.match(await view.find(".composer").innerText(), /GPT-5 mini[\s\S]*Values leave this machine\./);
  await view.button(/Answered by GPT-5 mini/).click();
  assert.deepEqual(await view.sent(), [{ type: "chooseAnswerer" }]);
});

viewTest("a turn appears at once, and its parts in the order in which they came", async (view) => {
  await view.post(
    { type: "state", state: state() },
    { type: "turn", conversationId: "c1", turn: turn() },
    { type: "part", turnId: "t1", part: { kind: "status", text: "reading the stack" } },
    { type: "part", turnId: "t1", part: { kind: "step", step: step({ call: "first()" }) } },
    { type: "part", turnId: "t1", part: { kind: "answer", text: "Because **x** " } },
    { type: "part", turnId: "t1", part: { kind: "answer", text: "is 0." } },
    { type: "part", turnId: "t1", part: { kind: "step", step: step({ call: "second()" }) } },
    { type: "part", turnId: "t1", part: { kind: "answer", text: "So it is." } },
  );
  await view.page.getByText("So it is.").waitFor();
  const text = await view.find(".turn").innerText();
  assert.match(text, /Why did it stop here\?[\s\S]*reading the stack[\s\S]*first\(\)[\s\S]*Because x is 0\.[\s\S]*second\(\)[\s\S]*So it is\.[\s\S]*Working/);
  assert.equal(await view.announced(), "Looking for an answer");
});

viewTest("a part of a turn that is not shown does nothing", async (view) => {
  await view.post({ type: "state", state: talk(finished()) }, { type: "part", turnId: "t9", part: { kind: "answer", text: "lost" } }, { type: "turn", conversationId: "c9", turn: turn({ id: "t9" }) });
  assert.equal(await view.page.getByText("lost").count(), 0);
  assert.equal(await view.find(".turn").count(), 1);
});

viewTest("a newer status takes the place of the one right before it", async (view) => {
  const parts = ["tried 20 of 73", "tried 40 of 73"].map((text) => ({ kind: "status" as const, text }));
  await view.post({ type: "state", state: talk(turn({ parts })) });
  assert.deepEqual(await view.find(".status").allInnerTexts(), ["tried 40 of 73"]);
});

viewTest("a step opens to its call and its result, with time and snapshot", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: STEPS.map((each) => ({ kind: "step", step: each })) })) });
  const row = view.find(".step").nth(3);
  assert.match(await row.innerText(), /evaluate[\s\S]*snapshot[\s\S]*11 ms/);
  await row.locator("summary").click();
  await row.getByText("printed nothing").waitFor();
  assert.equal(await view.find(".step").nth(0).locator(".badge").count(), 0);
});

viewTest("ended ends the stream: evidence, suspects, fixes, cost; and says so once", async (view) => {
  await view.post(
    { type: "state", state: talk(turn()) },
    { type: "part", turnId: "t1", part: { kind: "answer", text: ANSWER } },
    { type: "ended", turnId: "t1", ended: ended({ masked: [{ placeholder: "<secret:1>", rule: "known", times: 2 }] }) },
  );
  const text = await view.find(".turn").innerText();
  for (const words of ["len(rows) = 0", "not confirmed", "Suspicious lines", "More fixes", "GPT-5 mini", "6.2 s", "4.1k in, 612 out", "$0.0021", "2 secrets were masked"]) {
    assert.ok(text.includes(words), `${words} in ${text}`);
  }
  assert.ok(!text.includes("Working"));
  assert.equal(await view.find(".confirmed").count(), 2);
  assert.equal(await view.announced(), "The answer is complete");
});

viewTest("an answer that ends as another text than was streamed replaces it", async (view) => {
  await view.post(
    { type: "state", state: talk(turn()) },
    { type: "part", turnId: "t1", part: { kind: "answer", text: "half of" } },
    { type: "ended", turnId: "t1", ended: ended({ answer: "The whole.", stale: true }) },
  );
  assert.deepEqual(await view.find(".markdown").allInnerTexts(), ["The whole."]);
  assert.match(await view.find(".banner").innerText(), /went on meanwhile/);
  assert.equal(await view.find(".moved").isVisible(), true);
});

for (const [reason, words] of [["cancelled", /This is what was known/], ["limit", /A budget ended/], ["notStopped", /continued before/], ["failed", /no such model/]] as const) {
  viewTest(`an answer that ended as ${reason} says so and can be asked again`, async (view) => {
    await view.post({ type: "state", state: talk(finished({ reason, error: reason === "failed" ? "no such model" : "" })) });
    assert.match(await view.find(".banner").innerText(), words);
    await view.find(".banner").getByRole("button", { name: "Ask again" }).click();
    assert.deepEqual(await view.sent(), [{ type: "retry", turnId: "t1" }]);
  });
}

viewTest("an answer that came instead of the chosen model's stands below the reason", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "ended", turnId: "t1", ended: ended({ reason: "failed", answer: "What is known.", error: "Nothing answers at the endpoint" }) });
  assert.match(await view.find(".turn").innerText(), /Nothing answers at the endpoint[\s\S]*What is known\./);
});

viewTest("failed shows why and what to do", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "answerer", answerer: { kind: "endpoint", name: "m", leaves: "All." } }, { type: "failed", turnId: "t1", error: "notStopped: pause the program first" });
  const banner = view.find(".banner.error");
  assert.match(await banner.innerText(), /pause the program first/);
  await banner.getByRole("button", { name: "Choose who answers" }).click();
  await banner.getByRole("button", { name: "Ask again" }).click();
  assert.deepEqual(await view.sent(), [{ type: "chooseAnswerer" }, { type: "retry", turnId: "t1" }]);
  assert.match((await view.find("[role=alert]").textContent()) ?? "", /pause the program first/);
});

viewTest("a turn that comes again, as after a retry, takes its old place", async (view) => {
  await view.post({ type: "state", state: talk(finished()) }, { type: "turn", conversationId: "c1", turn: turn({ question: "again" }) });
  assert.equal(await view.find(".turn").count(), 1);
  assert.match(await view.find(".turn").innerText(), /again[\s\S]*Working/);
});

viewTest("consent shows action, reason and time, and sends each of its answers once", async (view) => {
  const approvals = ["p1", "p2", "p3"].map((approvalId) => ({ kind: "approval" as const, approval: { ...APPROVAL, approvalId } }));
  await view.post({ type: "state", state: talk(turn({ parts: approvals })) });
  const cards = view.find(".approval");
  assert.match(await cards.nth(0).innerText(), /minimum=2[\s\S]*I want to see[\s\S]*/);
  assert.match(await cards.nth(0).getByRole("timer").innerText(), /^\d+ s left$/);
  await cards.nth(0).getByRole("button", { name: "Allow once" }).dblclick();
  await cards.nth(1).getByRole("button", { name: "Allow for this session" }).click();
  await cards.nth(2).getByRole("button", { name: "Deny" }).click();
  assert.deepEqual(await view.sent(), [
    { type: "approve", approvalId: "p1", allow: true, remember: false },
    { type: "approve", approvalId: "p2", allow: true, remember: true },
    { type: "approve", approvalId: "p3", allow: false, remember: false },
  ]);
});

viewTest("an approval's outcome takes the place of its buttons", async (view) => {
  await view.post(
    { type: "state", state: talk(turn({ parts: [{ kind: "approval", approval: APPROVAL }] })) },
    { type: "approval", turnId: "t1", approvalId: "p1", outcome: "allowedForSession" },
  );
  assert.equal(await view.find(".approval button").count(), 0);
  assert.match(await view.find(".approval").innerText(), /Allowed for this session/);
});

viewTest("consent that nobody has given when the answer ends is over", async (view) => {
  await view.post(
    { type: "state", state: talk(turn({ parts: [{ kind: "approval", approval: APPROVAL }] })) },
    { type: "ended", turnId: "t1", ended: ended() },
  );
  assert.match(await view.find(".approval").innerText(), /not in time/);
});

viewTest("places in words, steps and findings open their file; only what looks like one", async (view) => {
  const answer = "Places:\n\nSee `shop/report.py:6`, src/a.cpp:12:4 and /opt/x/main.rs:3; not example.com:80, 12:30, http://host/x.py:9 or python3.11:8.";
  await view.post({ type: "state", state: talk(finished({ answer, fixes: [] })) });
  const links = view.find(".markdown").getByRole("link");
  assert.deepEqual(await links.allInnerTexts(), ["shop/report.py:6", "src/a.cpp:12:4", "/opt/x/main.rs:3"]);
  await links.nth(1).click();
  await view.find(".suspect").first().getByRole("link").click();
  await view.find(".evidence .place").first().click();
  await view.find(".stop-line").getByRole("link").click();
  assert.deepEqual(await view.sent(), [
    { type: "openLocation", file: "src/a.cpp", line: 12 },
    { type: "openLocation", file: FILE, line: 6 },
    { type: "openLocation", file: FILE, line: 13 },
    { type: "openLocation", file: FILE, line: 13 },
  ]);
});

viewTest("a cited value reveals its frame and its place, and the place alone once the program has moved on", async (view) => {
  await view.post({ type: "state", state: talk(finished()) });
  const value = view.find(".evidence").nth(1).getByRole("link").first();
  await value.click();
  assert.deepEqual(await view.sent(), [{ type: "openFrame", sessionId: "s1", frameId: 2, threadId: 1, expression: "rows", file: FILE, line: 13 }]);
  await view.post({ type: "sessions", sessions: [RUNNING], sessionId: "s1" }, { type: "sessions", sessions: [STOPPED], sessionId: "s1" });
  await value.click();
  assert.deepEqual(await view.sent(), [{ type: "openLocation", file: FILE, line: 13 }]);
  assert.equal(await view.find(".moved").isVisible(), true);
});

viewTest("suspects are ranked, and the rest of them is behind a button", async (view) => {
  await view.post({ type: "state", state: talk(finished()) });
  assert.equal(await view.find(".suspect").count(), 3);
  await view.button("Show 2 more").click();
  assert.deepEqual(await view.find(".suspect .place").allInnerTexts(), ["report.py:6", "report.py:13", "report.py:4", "report.py:17", "report.py:18"]);
});

viewTest("a fix stands where the answer shows its diff, with its verdict and its buttons", async (view) => {
  await view.post({ type: "state", state: talk(finished()) });
  const card = view.find(".markdown .fix");
  assert.match(await card.innerText(), /\+ {4}return \[row for row in rows if row\["count"\] >= 2\][\s\S]*Verified in a snapshot: the failing check passes with it \(the call at report\.py:21\)/);
  assert.equal(await card.locator(".diff-added").count(), 1);
  await card.getByRole("button", { name: /Preview/ }).click();
  await card.getByRole("button", { name: /^Apply fix/ }).click();
  await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "applied" });
  await card.getByRole("button", { name: "Restart" }).click();
  await view.post({ type: "rerun", turnId: "t1", index: 0, rerun: { state: "running", text: "The program runs with it." } });
  await view.post({ type: "rerun", turnId: "t1", index: 0, rerun: { state: "fixed", text: "Fixed: the program ran to its end." } });
  assert.match(await card.locator(".fix-note.fixed").innerText(), /^Fixed: /);
  await card.getByRole("button", { name: /Undo/ }).click();
  await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "undone" });
  assert.equal(await card.getByRole("button", { name: "Restart" }).count(), 0);
  assert.match(await card.innerText(), /Undone/);
  await card.getByRole("button", { name: /Apply again/ }).click();
  await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "failed", error: "report.py has changed" });
  assert.match(await card.innerText(), /report\.py has changed[\s\S]*/);
  assert.deepEqual((await view.sent()).map((each) => each.type), ["previewFix", "applyFix", "restart", "undoFix", "applyFix"]);
});

viewTest("a fix that was not verified says why, and the second one is the second", async (view) => {
  await view.post({ type: "state", state: talk(finished({ answer: "No diff here:", fixes: [{ ...FIXES[0]!, diff: DIFF }, FIXES[1]!] }, { fixes: ["applied"] })) });
  const cards = view.find(".fix");
  assert.equal(await cards.count(), 2);
  assert.match(await cards.nth(0).innerText(), /Applied/);
  await cards.nth(1).locator("summary").click();
  assert.match(await cards.nth(1).innerText(), /Not verified: the copy ran out of time/);
  await cards.nth(1).getByRole("button", { name: /^Apply fix/ }).click();
  assert.deepEqual(await view.sent(), [{ type: "applyFix", turnId: "t1", index: 1 }]);
});

viewTest("copy and retry of a turn, and the conversation's own actions", async (view) => {
  await view.post({ type: "state", state: { ...talk(finished()), history: [{ id: "c1", title: "now" }, { id: "c0", title: "before" }] } });
  await view.button("Copy answer as Markdown").click();
  await view.find(".turn-bar").getByRole("button", { name: "Ask again" }).click();
  await view.button("New conversation").click();
  await view.button("Earlier conversations").click();
  for (const name of ["Copy conversation as Markdown", "Export conversation…", "Choose who answers…"]) {
    await view.button("More actions").click();
    await view.page.getByRole("menuitem", { name }).click();
  }
  assert.deepEqual(await view.sent(), [
    { type: "copyTurn", turnId: "t1" },
    { type: "retry", turnId: "t1" },
    { type: "newConversation" },
    { type: "openConversation" },
    { type: "copyConversation" },
    { type: "exportConversation" },
    { type: "chooseAnswerer" },
  ]);
}, { place: "tab" });

viewTest("where nothing is debugged any more, a failed answer leads to the start", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "failed", turnId: "t1", error: "The debug session ended." }, { type: "sessions", sessions: [] });
  assert.deepEqual(await view.find(".banner").getByRole("button").allInnerTexts(), ["Start debugging"]);
  await view.button("Start debugging").click();
  assert.deepEqual(await view.sent(), [{ type: "command", command: "start" }]);
});

viewTest("a running answer can be stopped, once", async (view) => {
  await view.post({ type: "state", state: talk(turn()) });
  await view.button("Stop").click();
  await view.button("Stopping").click({ force: true });
  assert.deepEqual(await view.sent(), [{ type: "stop", turnId: "t1" }]);
  await view.post({ type: "ended", turnId: "t1", ended: ended({ reason: "cancelled" }) });
  assert.equal(await view.button("Ask (Enter)").count(), 1);
});

viewTest("focus puts the cursor into the input, with the question if there is one", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "focus" });
  assert.equal(await view.input.evaluate((element) => element === document.activeElement), true);
  await view.post({ type: "focus", question: "Why is `rows` empty?" });
  assert.equal(await view.input.inputValue(), "Why is `rows` empty?");
});

viewTest("another state shows another conversation, and the empty one after it", async (view) => {
  await view.post({ type: "state", state: talk(finished()) }, { type: "state", state: state() });
  assert.equal(await view.find(".turn").count(), 0);
  assert.match(await view.find(".empty").innerText(), /Your program has stopped/);
});

viewTest("a conversation outlives its session", async (view) => {
  await view.post({ type: "state", state: talk(finished()) }, { type: "sessions", sessions: [] });
  assert.match(await view.find(".top").innerText(), /The session has ended/);
  assert.equal(await view.find(".turn").count(), 1);
  await view.input.fill("and?");
  await view.input.press("Enter");
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "and?" }]);
});

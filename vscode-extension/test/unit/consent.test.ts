import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { ended, opened, outcomeOf, settled, stopped } from "./fake/host";
import { fake, resetFake } from "./fake/vscode";

beforeEach(resetFake);

test("a consent is asked for by notification while no view is in sight, and answered once", async (t) => {
  const { host, posts } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  fake.choose = "Allow for This Session";
  const approval = { askId: "dap-ai-ask-1", approvalId: "dap-ai-approval-1", action: "next", reason: "r", kind: "step", timeoutS: 60 };
  session.event("askApproval", approval);
  await settled();
  assert.match(fake.shown[0] ?? "", /next/);
  const args = { approvalId: "dap-ai-approval-1", allow: true, remember: true };
  assert.deepEqual(session.requests.at(-1), { command: "askApprove", args });
  assert.equal(outcomeOf(turn), "allowedForSession");
  assert.equal(posts.filter((post) => post.type === "approval").length, 1);
});

test("a consent that was answered elsewhere, or whose question ended, is over", async (t) => {
  const { host } = opened(t);
  host.setView({ isVisible: true, focus: () => Promise.resolve() });
  const session = stopped("s1", (command) => (command === "askApprove" ? Promise.reject(new Error("unknown")) : undefined));
  const turn = host.ask("why?")!;
  await settled();
  const approval = { askId: "dap-ai-ask-1", approvalId: "a1", action: "next", reason: "r", kind: "step", timeoutS: 60 };
  session.event("askApproval", approval);
  assert.deepEqual(fake.shown, []);
  const part = turn.parts[0];
  assert.ok(part?.kind === "approval");
  host.onMessage({ type: "approve", approvalId: part.approval.approvalId, allow: true, remember: false });
  await settled();
  assert.equal(outcomeOf(turn), "over");
  session.event("askApproval", { ...approval, approvalId: "a2" });
  session.event("askEnded", ended("dap-ai-ask-1"));
  assert.ok(turn.parts.every((each) => each.kind !== "approval" || each.approval.outcome === "over"));
});

test("a notification shows an action as it is, or sends to the view", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  host.ask("why?");
  await settled();
  const approval = { askId: "dap-ai-ask-1", approvalId: "a", reason: "", kind: "execute", timeoutS: 60 };
  session.event("askApproval", { ...approval, action: "x[0](command:evil)" });
  session.event("askApproval", { ...approval, approvalId: "b", action: "y".repeat(5000) });
  assert.deepEqual(fake.shown.map((text) => /\]\(|yyy/.test(text)), [false, false]);
});

/** A conversation goes on after its session: over a connection to a proxy on which nothing runs. */

import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Socket } from "node:net";
import test, { beforeEach } from "node:test";
import { Host } from "../../src/ask/host";
import { RevivedSession } from "../../src/proxy/revived";
import { ended, settled, stopped } from "./fake/host";
import { endSession, resetFake } from "./fake/vscode";

beforeEach(resetFake);

test("what is asked after the end goes with what was said, the source's place and the output; the next stop begins anew", async (t) => {
  const requests: [string, unknown][] = [];
  const state = { closed: 0 };
  let say: (event: string, body: unknown) => void = () => undefined;
  const host = new Host(undefined, undefined, (_session, { received }) => {
    say = received;
    return {
      id: "ended-1",
      name: "",
      customRequest: (command: string, args: unknown) => {
        requests.push([command, args]);
        return Promise.resolve({ askId: "a", conversationId: "c" });
      },
      close: () => { state.closed += 1; },
    };
  });
  t.after(() => { host.dispose(); });
  const session = stopped();
  const first = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  session.event("output", { category: "stdout", output: "paid: 41\n" });
  session.event("output", { category: "telemetry", output: "no" });
  endSession(session);
  const turn = host.ask("and what was row?")!;
  await settled();
  const earlier = { turns: [{ question: "why?", answer: "Because.", file: "/w/shop.py", line: 5 }], output: "paid: 41\n" };
  assert.deepEqual(requests, [["ask", { progress: false, question: "and what was row?", earlier }]]);
  say("askOutput", { askId: "a", category: "answer", output: "A dict." });
  say("askEnded", ended("a", { answer: "A dict." }));
  assert.deepEqual([turn.ended?.answer, state.closed], ["A dict.", 1]);
  assert.deepEqual(host.state().conversation?.turns, [first, turn]);
  stopped("s2");
  assert.equal(host.state().conversation, undefined);
});

test("the connection gives the token first, and a lost one fails the question", async (t) => {
  let heard = "";
  const peer: { socket?: Socket } = {};
  const server = createServer((socket) => {
    peer.socket = socket;
    socket.on("data", (data) => {
      heard += data.toString();
      if (!heard.includes('"ask"') || heard.includes("answered")) return;
      heard += "answered";
      const body = JSON.stringify({ type: "response", request_seq: 1, success: true, body: { askId: "ä" } });
      const frame = Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      socket.write(frame.subarray(0, 30));
      setImmediate(() => socket.write(frame.subarray(30)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => { server.close(); });
  let released = 0;
  const proxies = { holdEnded: () => Promise.resolve({ port: (server.address() as AddressInfo).port, token: "T", release: () => { released += 1; } }) };
  const lost = new Promise<string>((resolve) => {
    const session = new RevivedSession(proxies, undefined, { received: () => undefined, lost: resolve });
    void session.customRequest("ask", { question: "x" }).then((body) => {
      assert.deepEqual(body, { askId: "ä" });
      peer.socket?.destroy();
    });
  });
  assert.match(await lost, /closed the connection|ECONNRESET/);
  assert.match(heard, /^DAP-AI-Token: T\r\nContent-Length: \d+\r\n\r\n/);
  assert.equal(released, 1);
});

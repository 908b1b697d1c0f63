// A model for agents that run in scenarios, and where their runs are seen.
import { createServer } from "node:http";

const FIND_MS = 60_000;

/** Answers with these messages of Chat Completions, one after the other; then with the last. */
export async function startModel(replies) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const message = replies[asked++] ?? replies.at(-1);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "1", object: "chat.completion", model: "scripted", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked: () => asked, close: () => server.closeAllConnections() || server.close() };
}

/** A message that says this and calls `bash` with a command. */
export function calling(content, command) {
  return { role: "assistant", content, tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } }] };
}

/** The frame of a webview in which this is to be seen. */
export async function shown(workbench, selector) {
  const end = Date.now() + FIND_MS;
  for (;;) {
    for (const frame of workbench.page.frames()) {
      const found = await frame.$(selector).catch(() => null);
      if (found && (await found.isVisible().catch(() => false))) return frame;
    }
    if (Date.now() > end) throw new Error(`${selector} is not to be seen.`);
    await workbench.page.waitForTimeout(50);
  }
}

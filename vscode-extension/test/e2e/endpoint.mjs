// An OpenAI-compatible endpoint on loopback that says what the test tells it to, when the test tells it to.
import { createServer } from "node:http";

/** Starts it. `replies`: functions that are given a `Stream`, one for each request in turn. */
export async function startEndpoint(...replies) {
  const requests = [];
  const open = new Set();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const reply = replies[requests.length];
      requests.push({ url: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString() || "{}") });
      if (!reply) return response.writeHead(500).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      open.add(response);
      response.on("close", () => open.delete(response));
      reply(new Stream(response));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    open,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Stream {
  constructor(response) {
    this.response = response;
  }

  text(content) {
    return this.delta({ role: "assistant", content });
  }

  call(name, args) {
    const called = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } };
    return this.delta({ role: "assistant", tool_calls: [called] });
  }

  delta(delta, finish = null) {
    const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, delta, finish_reason: finish }] };
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    return this;
  }

  end(finish = "stop") {
    this.delta({}, finish);
    this.response.end("data: [DONE]\n\n");
  }
}

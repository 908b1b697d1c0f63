/** A connection to a proxy on which nothing runs: a conversation goes on there after its session has ended. */

import { connect, type Socket } from "node:net";
import type * as vscode from "vscode";
import { textOf } from "../log";
import type { Revived, RevivedListener } from "../ask/questions";
import type { Proxies } from "./proxies";

interface Message {
  type?: string;
  request_seq?: number;
  success?: boolean;
  message?: string;
  event?: string;
  body?: { error?: { format?: string; variables?: Record<string, string> } };
}

interface Waiting {
  resolve: (body: unknown) => void;
  reject: (error: Error) => void;
}

let made = 0;

/** Speaks DAP's frames, and of its requests only those of dap_ai. */
export class RevivedSession implements Revived {
  readonly id = `ended-${++made}`;
  readonly name: string;
  private readonly socket: Promise<Socket>;
  private readonly waiting = new Map<number, Waiting>();
  private readonly release: (() => void)[] = [];
  private seq = 0;
  private data = Buffer.alloc(0);
  private isClosed = false;

  constructor(
    proxies: Pick<Proxies, "holdEnded">,
    session: vscode.DebugSession | undefined,
    private readonly listener: RevivedListener,
  ) {
    this.name = session?.name ?? "";
    this.socket = this.open(proxies, session);
    this.socket.catch(() => undefined); // each request says it
  }

  async customRequest(command: string, args: unknown = {}): Promise<unknown> {
    const socket = await this.socket;
    const seq = ++this.seq;
    const answered = new Promise((resolve, reject) => this.waiting.set(seq, { resolve, reject }));
    socket.write(framed({ seq, type: "request", command, arguments: args }));
    return answered;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    void this.socket.then((socket) => socket.end(), () => undefined);
    for (const each of this.release.splice(0)) each();
  }

  private async open(proxies: Pick<Proxies, "holdEnded">, session: vscode.DebugSession | undefined): Promise<Socket> {
    const { port, token, release } = await proxies.holdEnded(session);
    this.release.push(release);
    if (this.isClosed) release();
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
    });
    socket.on("data", (data) => { this.read(data); });
    socket.on("error", (error) => { this.lost(textOf(error)); });
    socket.on("close", () => { this.lost("dap-ai has closed the connection."); });
    socket.write(`DAP-AI-Token: ${token}\r\n`);
    return socket;
  }

  private lost(error: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(error));
    this.waiting.clear();
    if (!this.isClosed) this.listener.lost(error);
    this.close();
  }

  private read(data: Buffer): void {
    this.data = Buffer.concat([this.data, data]);
    for (;;) {
      const end = this.data.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: *(\d+)/i.exec(this.data.subarray(0, end).toString("latin1"))?.[1] ?? 0);
      const begin = end + 4;
      if (this.data.length < begin + length) return;
      const text = this.data.subarray(begin, begin + length).toString("utf8");
      this.data = this.data.subarray(begin + length);
      this.receive(JSON.parse(text) as Message);
    }
  }

  private receive(message: Message): void {
    if (message.type === "event" && message.event?.startsWith("ask")) this.listener.received(message.event, message.body);
    if (message.type !== "response") return;
    const waiting = this.waiting.get(message.request_seq ?? -1);
    this.waiting.delete(message.request_seq ?? -1);
    if (message.success === true) waiting?.resolve(message.body);
    else waiting?.reject(new Error(wordsOf(message)));
  }
}

function framed(message: object): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** DAP's errors hold their values apart. */
function wordsOf({ message, body }: Message): string {
  const { format, variables = {} } = body?.error ?? {};
  return format?.replace(/\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole) ?? message ?? "dap-ai has refused the question.";
}

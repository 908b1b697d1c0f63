/** Where sessions of type `dap-ai` connect to. */

import * as vscode from "vscode";
import type { Proxies } from "../proxy/proxies";

/**
 * A session goes to its own proxy, that of a child process to the listener that its parent's proxy has opened for it.
 * VS Code waits here as long as it takes, for a tracker only one second: a restart may have to start another proxy.
 */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly proxies: Pick<Proxies, "placeFor">) {}

  async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const { dapAiToken: token, connect } = session.configuration as { dapAiToken?: unknown; connect?: Address };
    if (token !== undefined && connect !== undefined && session.parentSession?.configuration["dapAiToken"] === token) {
      return new vscode.DebugAdapterServer(Number(connect.port), connect.host ?? "127.0.0.1");
    }
    const place = await this.proxies.placeFor(token);
    if (place) return new vscode.DebugAdapterServer(place.port, "127.0.0.1");
    throw new Error("dap-ai was not started for this session. Start it again, and look at the log of dap-ai.");
  }
}

interface Address {
  host?: string;
  port?: unknown;
}

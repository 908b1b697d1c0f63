/** Where sessions of type `dap-ai` connect to. */

import * as vscode from "vscode";

/**
 * VS Code itself connects to `debugServer`, which each configuration has been given (see configuration.ts). What comes
 * here is the session of a child process, with the address of the listener that its parent's proxy has opened for it.
 */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    const connect = session.configuration["connect"] as { host?: string; port?: unknown } | undefined;
    if (session.configuration["dapAiToken"] === undefined || connect === undefined) {
      throw new Error("dap-ai was not started for this session. Start it again, and look at the log of dap-ai.");
    }
    return new vscode.DebugAdapterServer(Number(connect.port), connect.host ?? "127.0.0.1");
  }
}

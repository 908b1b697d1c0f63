// Owns the type `debugpy`, as the Python Debugger does: a resolver, and the adapter of the program's Python.
const fs = require("node:fs");
const vscode = require("vscode");

const say = (what) => fs.appendFileSync(process.env["STANDIN_LOG"], `${what}\n`);

exports.activate = (context) => {
  const resolver = {
    resolveDebugConfiguration: (_folder, configuration) => {
      say("resolved");
      return { ...configuration, python: process.env["STANDIN_PYTHON"], justMyCode: true };
    },
  };
  const factory = {
    createDebugAdapterDescriptor: () => {
      say("started its own adapter");
      return new vscode.DebugAdapterExecutable(process.env["STANDIN_PYTHON"], ["-m", "debugpy.adapter"]);
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("debugpy", resolver),
    vscode.debug.registerDebugAdapterDescriptorFactory("debugpy", factory),
  );
};

// Owns the type `lldb-dap`, as the extension of LLDB does: a resolver, and the adapter that the configuration names.
const fs = require("node:fs");
const vscode = require("vscode");

const say = (what) => fs.appendFileSync(process.env["STANDIN_LOG"], `${what}\n`);

exports.activate = (context) => {
  const resolver = {
    resolveDebugConfigurationWithSubstitutedVariables: (_folder, configuration) => {
      say("resolved");
      return { ...configuration, stopOnEntry: false };
    },
  };
  const factory = {
    createDebugAdapterDescriptor: ({ configuration }) => {
      say("started its own adapter");
      return new vscode.DebugAdapterExecutable(configuration.debugAdapterExecutable);
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("lldb-dap", resolver),
    vscode.debug.registerDebugAdapterDescriptorFactory("lldb-dap", factory),
  );
};

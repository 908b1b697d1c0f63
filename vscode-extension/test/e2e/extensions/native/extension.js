// Owns the types `lldb-dap` and `gdb`, as LLDB's extension and Native Debug do: a resolver, and an adapter of its own.
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
      return new vscode.DebugAdapterExecutable(configuration.debugAdapterExecutable ?? configuration.gdbpath);
    },
  };
  for (const type of ["lldb-dap", "gdb"]) {
    context.subscriptions.push(
      vscode.debug.registerDebugConfigurationProvider(type, resolver),
      vscode.debug.registerDebugAdapterDescriptorFactory(type, factory),
    );
  }
};

// A language model that says what a file holds, one reply a line: {"text": "...", "calls": [{"name", "arguments"}]}.
// Each request takes the next line, and is written to a log. A file that has been changed begins at its first line.
const fs = require("node:fs");
const vscode = require("vscode");

const { FAKELM_SCRIPT: script, FAKELM_LOG: log } = process.env;
let text = "";
let taken = 0;

function nextReply() {
  const now = fs.existsSync(script) ? fs.readFileSync(script, "utf8") : "";
  if (now !== text) taken = 0;
  text = now;
  const line = now.split("\n").filter((each) => each.trim() !== "")[taken++];
  return line === undefined ? { text: "The script of the fake model is over." } : JSON.parse(line);
}

/** As an agent of VS Code's does: each line {"tool", "input"} of the script in turn; results go to the log. */
async function invokeTools() {
  const calls = fs.readFileSync(script, "utf8").split("\n").map((line) => JSON.parse(line));
  for (const { tool, input } of calls) {
    const { content } = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined });
    fs.appendFileSync(log, `${JSON.stringify({ tool, result: content.map((part) => part.value).join("") })}\n`);
  }
  void vscode.window.showInformationMessage(`Invoked ${calls.length} tools`);
}

exports.activate = (context) => {
  const model = {
    id: "fake-1",
    name: "Fake 1",
    family: "fake",
    version: "1",
    maxInputTokens: 100000,
    maxOutputTokens: 4096,
    isDefault: true,
    isUserSelectable: true,
    capabilities: { toolCalling: true, imageInput: false },
  };
  const provider = {
    provideLanguageModelChatInformation: () => [model],
    provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
      const reply = nextReply();
      fs.appendFileSync(log, `${JSON.stringify({ messages: messages.length, tools: (options.tools ?? []).map((each) => each.name) })}\n`);
      if (reply.text) progress.report(new vscode.LanguageModelTextPart(reply.text));
      for (const [number, call] of (reply.calls ?? []).entries()) {
        progress.report(new vscode.LanguageModelToolCallPart(`call-${taken}-${number}`, call.name, call.arguments ?? {}));
      }
    },
    provideTokenCount: async (_model, value) => Math.ceil(JSON.stringify(value).length / 4),
  };
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("fakelm", provider),
    vscode.commands.registerCommand("fakelm.invokeTools", invokeTools),
  );
  // Else the picker has no model at the first question.
  setTimeout(() => vscode.lm.selectChatModels({ vendor: "fakelm" }), 500);
};

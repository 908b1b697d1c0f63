/** A conversation in the words of Chat Completions, as VS Code's language models take it. */

import * as vscode from "vscode";
import type { AskModel } from "../shared/protocol";

/** A call in an assistant's message; `arguments` is JSON text as a model wrote it. */
interface ChatCall {
  id: string;
  function: { name: string; arguments: string };
}

/** A message of Chat Completions, as dap_ai sends it. */
interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content?: string | null;
  tool_calls?: ChatCall[];
  tool_call_id?: string;
}

/** A tool of Chat Completions. */
interface ChatTool {
  function: { name: string; description?: string; parameters?: object };
}

/** VS Code has no system messages: their text begins the next message of the user. Results of one turn's calls are one message. */
export function messagesOf(body: AskModel): vscode.LanguageModelChatMessage[] {
  const messages: vscode.LanguageModelChatMessage[] = [];
  const system: string[] = [];
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flushResults = (): void => {
    if (results.length > 0) messages.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const message of body.messages as unknown as ChatMessage[]) {
    const text = message.content ?? "";
    if (message.role === "tool") {
      results.push(new vscode.LanguageModelToolResultPart(message.tool_call_id ?? "", [new vscode.LanguageModelTextPart(text)]));
      continue;
    }
    flushResults();
    if (message.role === "system") {
      system.push(text);
    } else if (message.role === "user") {
      messages.push(vscode.LanguageModelChatMessage.User([...system.splice(0), text].join("\n\n")));
    } else {
      const parts = assistantParts(text, message.tool_calls ?? []);
      if (parts.length > 0) messages.push(vscode.LanguageModelChatMessage.Assistant(parts));
    }
  }
  flushResults();
  if (system.length > 0) messages.push(vscode.LanguageModelChatMessage.User(system.join("\n\n")));
  return messages;
}

/** What the model may call. */
export function toolsOf(body: AskModel): vscode.LanguageModelChatTool[] {
  return ((body.tools ?? []) as unknown as ChatTool[]).map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description ?? "",
    inputSchema: tool.parameters ?? { type: "object", properties: {} },
  }));
}

function assistantParts(
  text: string,
  calls: ChatCall[],
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  return [
    ...(text === "" ? [] : [new vscode.LanguageModelTextPart(text)]),
    ...calls.map((call) => {
      const { name, arguments: written } = call.function;
      return new vscode.LanguageModelToolCallPart(call.id, name, inputOf(written));
    }),
  ];
}

/** An object in any case: a provider may refuse a conversation in which a model once wrote something else. */
function inputOf(written: string): object {
  if (written.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Not JSON: below.
  }
  return { malformed: written };
}

"""A small agent with one bug of its own, for agent_bugs.py; it speaks Chat Completions with the standard library alone.

    python benchmarks/_buggy_agent.py BUG TRUTH

It works in the current directory at the task in `task.md`. TRUTH is written when the bug first bites: `{"call": ID}`
or `{"query": N}`, the N-th that it sends, from 1. BUG is a name of BUGS, or `none`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from itertools import pairwise
from pathlib import Path
from typing import Any

BUGS = {
    "no-write": "an edit says OK and writes nothing",
    "cut": "a file is read to its 600th character, and nobody is told",
    "stale": "the results that the model is sent are those of the query before",
    "wrong-cwd": "commands run in another directory than edits",
    "loop": "the same call's results are left out, so that the model makes it again",
    "lost-answer": "the sub-agent's answer is thrown away",
    "swallowed": "a tool's exception becomes an empty result",
    "template": "the prompt's placeholder is never filled in",
    "stripped": "the text of an edit loses its leading blanks",
    "swapped": "the results of two calls made at once change places",
}
LIMIT = 14
"""Queries of one conversation."""
Message = dict[str, Any]


def tool(name: str, *parameters: str) -> Message:
    fields = {each: {"type": "string"} for each in parameters}
    schema = {"type": "object", "properties": fields, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = [tool("read_file", "path"), tool("edit_file", "path", "old", "new"), tool("run", "command")]


class Agent:
    """One conversation and its sub-agent's; `bug` is what is wrong with it."""

    def __init__(self, bug: str, truth: Path) -> None:
        self._bug, self._truth = bug, truth
        self._queries = 0

    def work(self, system: str, task: str, tools: list[Message]) -> str:
        """Until the model calls no tool any more; its last words."""
        messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": task}]
        for _ in range(LIMIT):
            said = self._ask(messages, tools)
            messages.append(said)
            calls = said.get("tool_calls") or []
            if not calls:
                return said["content"]
            results = [self._result(call) for call in calls]
            if self._bug == "swapped" and len(results) > 1:
                self._bites(call=calls[0]["id"])
                results.reverse()
            rows = zip(calls, results, strict=True)
            messages += [{"role": "tool", "tool_call_id": call["id"], "content": text} for call, text in rows]
        return "The limit was hit."

    def _ask(self, messages: list[Message], tools: list[Message]) -> Message:
        self._queries += 1
        body = {"model": "scripted-model", "messages": self._sent(messages), "tools": tools}
        headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310  an endpoint of ours
        with urllib.request.urlopen(request) as response:  # noqa: S310
            return json.load(response)["choices"][0]["message"]

    def _sent(self, messages: list[Message]) -> list[Message]:
        """The conversation as the model is sent it."""
        tools = [message for message in messages if message["role"] == "tool"]
        if self._bug == "stale" and len(tools) > 2:
            self._bites(query=self._queries)
            known = {message["tool_call_id"]: before["content"] for before, message in pairwise(tools)}
            return [_with(message, known.get(message.get("tool_call_id", ""))) for message in messages]
        if self._bug == "loop" and len(tools) > 1:
            self._bites(query=self._queries)
            last = tools[-1]["tool_call_id"]
            return [_with(message, "" if message.get("tool_call_id") == last else None) for message in messages]
        return messages

    def _result(self, call: Message) -> str:
        function = call["function"]
        arguments = json.loads(function["arguments"])
        try:
            return getattr(self, "_" + function["name"])(call["id"], **arguments)
        except (OSError, ValueError) as error:
            if self._bug == "swallowed":
                self._bites(call=call["id"])
                return ""
            return f"Error: {type(error).__name__}: {error}"

    def _read_file(self, ident: str, path: str) -> str:
        text = Path(path).read_text()
        if self._bug == "cut" and len(text) > 600:
            self._bites(call=ident)
            return text[:600]
        return text

    def _edit_file(self, ident: str, path: str, old: str, new: str) -> str:
        text = Path(path).read_text()
        if old not in text:
            raise ValueError(f"no such text in {path}: {old!r}")
        if self._bug == "no-write":
            self._bites(call=ident)
            return f"OK: {path} edited."
        if self._bug == "stripped":
            self._bites(call=ident)
            new = "\n".join(line.lstrip() for line in new.split("\n"))
        Path(path).write_text(text.replace(old, new, 1))
        return f"OK: {path} edited."

    def _run(self, ident: str, command: str) -> str:
        where = "."
        if self._bug == "wrong-cwd":
            self._bites(call=ident)
            where = str(Path.cwd().parent)
        done = subprocess.run(command, shell=True, cwd=where, capture_output=True, text=True, check=False)  # noqa: S602
        return f"{done.stdout}{done.stderr}\nexit code: {done.returncode}"

    def _review(self, ident: str, question: str) -> str:
        answer = self.work("You review code.", question, TOOLS[:1])
        if self._bug == "lost-answer":
            self._bites(call=ident)
            return ""
        return answer

    def _bites(self, **where: Any) -> None:
        if not self._truth.exists():
            self._truth.write_text(json.dumps(where))


def _with(message: Message, content: str | None) -> Message:
    return message if content is None else {**message, "content": content}


def main() -> None:
    bug, truth = sys.argv[1], Path(sys.argv[2])
    agent = Agent(bug, truth)
    prompt = "Your task is this:\n\n{task}\n\nWhen the tests pass, say so."
    if bug == "template":
        truth.write_text('{"query": 1}')
    else:
        prompt = prompt.replace("{task}", Path("task.md").read_text())
    print(agent.work("You mend programs with the tools you have.", prompt, [*TOOLS, tool("review", "question")]))


if __name__ == "__main__":
    main()

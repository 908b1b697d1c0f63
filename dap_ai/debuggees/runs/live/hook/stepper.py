"""Replacement for AgentStepper's API: an agent instrumented with its seven functions only changes the import.

    from dap_ai.stepper import AgentStepper

    with AgentStepper("my agent", "localhost", 8765, "workspace") as debugger:
        prompt = debugger.begin_llm_query_breakpoint(prompt)
        response = debugger.end_llm_query_breakpoint(ask(prompt))
        tool, args = debugger.begin_tool_invocation_breakpoint(tool, args)
        result = debugger.end_tool_invocation_breakpoint(run(tool, args))

`dap-ai record -- COMMAND` records the agent, and a debugger that launches it can stop it. Without either, each function
returns its argument unchanged. An agent never fails because its debugger does.
"""

# pyright: reportUnknownVariableType=false

from __future__ import annotations

import contextlib
import json
import sys
import threading
from types import TracebackType
from typing import Any, Dict, Union

from . import current_agent, gate_connection, gate_messages

Given = Union[str, Dict[str, Any]]
_KINDS = ["query", "response", "call", "result"]


class AgentStepper:
    """Announces one agent's queries and tool calls, at which a debugger can stop.

    A process may have several agents, and an agent several threads; each call blocks only its own thread.
    """

    _first = True

    def __init__(
        self,
        program_name: str,
        address: str,
        port: int,
        agent_workspace_path: str | None = None,
    ) -> None:
        self._name = "" if AgentStepper._first else program_name
        AgentStepper._first = False
        self._local = threading.local()
        if gate_connection.address() is None:
            sys.stderr.write("dap-ai: nobody debugs this agent: start it by `dap-ai record -- COMMAND`\n")
        else:
            current_agent.hello(_KINDS)
            self._announce("note", text=f"{program_name} begins")

    def __enter__(self) -> AgentStepper:  # noqa: PYI034  Self needs Python 3.11
        """Return the stepper."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Release nothing."""

    def begin_llm_query_breakpoint(self, prompt: Given) -> Given:
        """Return the prompt to send. If the user gave an answer instead, `end_llm_query_breakpoint` returns it."""
        verdict = self._announce("query", messages=_messages(prompt))
        self._open.append(("query", _instead(verdict)))
        return _prompt(prompt, verdict["messages"]) if verdict.get("messages") else prompt

    def end_llm_query_breakpoint(self, response: Given) -> Given:
        """Return the response to use, possibly edited. Raises RuntimeError without a matching begin."""
        instead = self._ended("query")[1]
        response = response if instead is None else _like(response, instead)
        return self._edited(response, self._announce("response", text=_text(response)))

    def begin_tool_invocation_breakpoint(self, tool: str, args: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return tool and arguments to run. If the user gave a result instead, the matching `end_...` returns it."""
        verdict = self._announce("call", tool=tool, arguments=args)
        self._open.append(("call", _instead(verdict), tool, verdict.get("call_id", "")))
        changed: Any = verdict.get("arguments", args)
        is_object = isinstance(changed, dict)
        return str(verdict.get("tool") or tool), changed if is_object else args

    def end_tool_invocation_breakpoint(self, results: Given) -> Given:
        """Return the results to use, possibly edited. Raises RuntimeError without a matching begin."""
        _, instead, tool, call_id = self._ended("call")
        results = results if instead is None else _like(results, instead)
        return self._edited(results, self._announce("result", tool=tool, call_id=call_id, text=_text(results)))

    def commit_agent_changes(self, commit_summary: str = "", commit_description: str = "") -> bool:
        """Add a note to the recording, which contains changes of the workspace anyway.

        Return whether a debugger or recorder is connected.
        """
        if gate_connection.address() is None:
            return False
        said = "\n\n".join(filter(None, (commit_summary, commit_description)))
        self._announce("note", text=f"commit: {said}" if said else "commit")
        return True

    def post_debug_message(self, message: str) -> None:
        """Add a note to the recording."""
        self._announce("note", text=str(message))

    @property
    def _open(self) -> list[Any]:
        """Queries and calls that this thread has begun and not ended."""
        return vars(self._local).setdefault("open", [])

    def _ended(self, kind: str) -> Any:
        if not self._open or self._open[-1][0] != kind:
            raise RuntimeError(f"the end of a {kind} that has not begun")
        return self._open.pop()

    def _announce(self, kind: str, **fields: Any) -> dict[str, Any]:
        verdict: dict[str, Any] = gate_messages.announce({"kind": kind, "agent": self._name, **fields})
        if verdict.get("do") == "stop":
            raise SystemExit(verdict.get("why") or 1)
        return verdict

    @staticmethod
    def _edited(given: Given, verdict: dict[str, Any]) -> Given:
        text = verdict.get("text")
        return _like(given, text) if isinstance(text, str) and verdict.get("do") in ("edit", "answer") else given


def _instead(verdict: dict[str, Any]) -> str | None:
    return str(verdict.get("text", "")) if verdict.get("do") == "answer" else None


def _messages(prompt: Given) -> list[Any]:
    if isinstance(prompt, dict) and isinstance(prompt.get("messages"), list):
        return prompt["messages"]
    return [{"role": "user", "content": _text(prompt)}]


def _prompt(prompt: Given, messages: list[Any]) -> Given:
    """Return the prompt with its messages replaced."""
    if isinstance(prompt, dict) and isinstance(prompt.get("messages"), list):
        return {**prompt, "messages": messages}
    return _like(prompt, "\n".join(str(each["content"]) for each in messages if "content" in each))


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)


def _like(given: Given, text: str) -> Given:
    """Convert text to the type of `given`. Return `given` if it is an object and the text is no JSON object."""
    if isinstance(given, str):
        return text
    with contextlib.suppress(ValueError):
        found: Any = json.loads(text)
        if isinstance(found, dict):
            return found
    gate_messages.once(f"what is no JSON object cannot stand for one: {text[:200]}")
    return given

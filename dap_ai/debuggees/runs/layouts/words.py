"""What agents' logs call things: names of fields, and values of roles. Data, for the search by shape."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dap_ai.debuggees.runs.layouts.layout import Means

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

NAMES: Mapping[str, tuple[str, ...]] = {
    "role": (
        "role", "speaker", "who", "sender", "author", "from", "actor", "kind", "type", "event_type", "event", "source",
        "category", "party", "voice",
    ),
    "text": (
        "text", "content", "message", "body", "msg", "utterance", "value", "say", "said", "words", "completion",
        "answer", "reply", "response", "output_text", "payload", "data",
    ),
    "reasoning": (
        "reasoning", "thought", "thoughts", "thinking", "rationale", "plan", "analysis", "reflection", "why", "intent",
        "explanation",
    ),
    "tool": (
        "tool", "tool_name", "function", "function_name", "action", "action_name", "name", "command_name", "op",
        "operation", "verb", "method", "skill", "instrument", "program", "cmd_name",
    ),
    "arguments": (
        "arguments", "args", "input", "parameters", "params", "action_input", "tool_input", "kwargs", "command", "cmd",
        "code", "script", "options", "with", "given", "query", "keystrokes",
    ),
    "result": (
        "result", "observation", "output", "stdout", "tool_output", "return", "returned", "outcome", "tool_result",
        "response", "feedback", "got", "yield", "stderr",
    ),
    "exit_code": (
        "exit_code", "exitcode", "returncode", "return_code", "rc", "exit_status", "exit", "status_code", "code",
        "retval", "status",
    ),
    "time": (
        "timestamp", "time", "ts", "at", "when", "date", "datetime", "created_at", "created", "started_at", "start",
        "start_time", "logged_at", "clock", "epoch", "t",
    ),
    "id": ("id", "uuid", "uid", "event_id", "message_id", "key", "seq", "index", "number", "no", "nr", "step"),
    "call_id": (
        "call_id", "tool_call_id", "tool_use_id", "in_reply_to", "reply_to", "ref", "for", "call", "request_id",
    ),
    "agent": ("agent", "agent_name", "agent_id", "worker", "bot_name", "persona"),
    "model": ("model", "model_name", "llm", "engine"),
    "calls": ("tool_calls", "calls", "actions", "tools", "function_calls", "invocations", "commands", "tool_uses"),
    "task": (
        "task", "goal", "instruction", "instructions", "prompt", "question", "problem", "problem_statement",
        "objective", "request", "mission", "query", "assignment", "issue",
    ),
}  # fmt: skip
"""Names for what, the surest first."""

_MEANINGS: Mapping[Means, tuple[str, ...]] = {
    "task": ("user", "human", "customer", "client", "task", "instruction", "prompt", "question", "operator"),
    "response": (
        "assistant", "ai", "bot", "model", "agent", "gpt", "llm", "reply", "response", "answer", "thought", "thinking",
        "reasoning", "plan", "message",
    ),
    "call": ("action", "call", "tool_call", "toolcall", "function_call", "command", "tool_use", "invoke", "do"),
    "result": (
        "tool", "function", "observation", "result", "output", "environment", "env", "tool_result", "function_result",
        "tool_response", "shell", "terminal", "feedback", "stdout",
    ),
    "note": ("system", "note", "info", "log", "debug", "meta", "status", "summary", "developer"),
    "error": ("error", "exception", "failure", "crash", "traceback"),
    "end": ("end", "finish", "finished", "done", "final", "exit", "stop"),
}  # fmt: skip
ROLES: Mapping[str, Means] = {value: means for means, values in _MEANINGS.items() for value in values}
"""Values of a role and what they mean."""


def plain(name: str) -> str:
    """A name as the tables have it: `toolName` and `Tool-Name` are `tool_name`."""
    return _CAMEL.sub("_", name.strip()).lower().replace("-", "_").replace(" ", "_").strip("_")


def rank(what: str, name: str) -> float:
    """How much a name sounds like this: 1 the surest, 0 not at all."""
    names, known = NAMES[what], plain(name)
    if known in names:
        return 1.0 - names.index(known) / (2.5 * len(names))
    parts = known.split("_")
    inside = [names.index(part) for part in parts if part in names]
    return 0.4 - min(inside) / (4 * len(names)) if inside else 0.0


def role_meaning(value: str) -> Means | None:
    """What a value of a role means by itself; None: that is not known."""
    known = plain(value)
    if known in ROLES:
        return ROLES[known]
    return next((ROLES[part] for part in reversed(known.split("_")) if part in ROLES), None)

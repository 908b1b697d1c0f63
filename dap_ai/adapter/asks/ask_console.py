"""`??` lines in a debug console, which let a user ask questions in an editor without a dap_ai plugin.

The text after the prefix is a question; `??` alone asks why the program stopped. A `??` continues the console's
conversation, and `??new ...` starts another. `??stop` cancels, `??allow` and `??deny` answer a request for
confirmation, and `??help` explains. Answers are `output` events in whole lines of plain text (`plain_text.py`), because
most consoles do not render Markdown.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.adapter.state.client_info import ClientInfo
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.wire.envelope import Envelope

CONTEXTS = frozenset({"repl", ""})
"""Values of `context` in an `evaluate` of user input. Helix's `:debug-eval` sends no context."""

COMMANDS = {
    "new": "ask in a new conversation",
    "stop": "cancel the current answer",
    "allow": "allow the action that the answer asks you to confirm; `allow session`: all of its kind",
    "deny": "refuse it",
    "help": "what can be asked here",
}
SLASH = "/ask"
SESSION = "session"
"""Argument of `??allow` that allows every action of this kind until the session ends."""

DEFAULT_QUESTION = "Why did it stop here?"


class ConsoleInput(NamedTuple):
    """A parsed `??` line of a console. `command` is empty for a question."""

    command: str
    question: str


def parse(text: str, prefix: str) -> ConsoleInput | None:
    """Parse a console line. Return None if the line is not for dap_ai, or if `prefix` is empty."""
    stripped = text.strip()
    if not prefix:
        return None
    if stripped.startswith(prefix):
        rest = stripped[len(prefix) :].strip()
    elif stripped == SLASH or stripped.startswith(SLASH + " "):
        rest = stripped[len(SLASH) :].strip()
    else:
        return None
    word, _, after = rest.partition(" ")
    command, after = word.lower(), after.strip()
    if command == "new" or (command in COMMANDS and not after) or (command == "allow" and after.lower() == SESSION):
        return ConsoleInput(command, after)
    return ConsoleInput("", rest)


def help_text(prefix: str) -> str:
    """Return the help text that answers `??help`."""
    lines = [
        f"{prefix}                  why did it stop here?",
        f"{prefix}why is total 0     any question about the stopped program; follow-ups may refer to the last answer",
    ]
    lines += [f"{prefix}{name:<17} {meaning}" for name, meaning in COMMANDS.items()]
    return "\n".join(lines)


def complete(text: str, column: int, prefix: str) -> list[dict[str, object]] | None:
    """Return DAP completion items for a `??` line, or None for any other line. `column` is 1-based."""
    if not prefix or not text.lstrip().startswith(prefix):
        return None
    start = text.index(prefix) + len(prefix)
    typed = text[start : max(start, column - 1)].lstrip()
    return [
        {"label": prefix + name, "text": name, "type": "text", "detail": meaning, "start": start, "length": len(typed)}
        for name, meaning in COMMANDS.items()
        if name.startswith(typed)
    ]


CATEGORY = "console"
"""Output category of dap_ai's console text. Some consoles drop output of an unknown category."""
CALM = "dap-ai"
"""Output category for VS Code, which shows "console" as a warning and unknown categories as program output."""


def respond(out: Outbox, message: Envelope, result: str) -> None:
    """Answer the current client's `evaluate` with this text."""
    out.respond(message, {"result": result, "variablesReference": 0})


def category_for(client: ClientInfo) -> str:
    """Return the output category for a client. Only VS Code itself announces `supportsANSIStyling`."""
    return CALM if client.id == "vscode" and client.ansi_styling else CATEGORY

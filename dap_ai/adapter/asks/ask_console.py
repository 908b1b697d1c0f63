"""`??` in a debug console: lets clients without a plugin ask questions.

The text after the prefix is a question; `??` alone asks why the program stopped. A `??` continues the console's
conversation, `??new ...` starts another, `??stop` cancels, `??allow` and `??deny` answer a request for confirmation,
`??help` explains. Answers are `output` events in whole lines of plain text (`plain_text.py`): most consoles render no
Markdown.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.adapter.state.client_info import ClientInfo
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.wire.envelope import Envelope

CONTEXTS = frozenset({"repl", ""})
"""Contexts of `evaluate` for user input; Helix's `:debug-eval` sends none."""

COMMANDS = {
    "new": "ask in a new conversation",
    "stop": "cancel the current answer",
    "allow": "allow the action that the answer asks you to confirm; `allow session`: all of its kind",
    "deny": "refuse it",
    "help": "what can be asked here",
}
SLASH = "/ask"
SESSION = "session"
"""Argument of `allow`: allow every action of this kind until the session ends."""

DEFAULT_QUESTION = "Why did it stop here?"


class ConsoleInput(NamedTuple):
    """A parsed `??` line. `command` is "" for a question."""

    command: str
    question: str


def parse(text: str, prefix: str) -> ConsoleInput | None:
    """Parse a console line; None if it is not for dap_ai. With an empty `prefix`, no line is."""
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
    """Return the answer to `??help`."""
    lines = [
        f"{prefix}                  why did it stop here?",
        f"{prefix}why is total 0     any question about the stopped program; follow-ups may refer to the last answer",
    ]
    lines += [f"{prefix}{name:<17} {meaning}" for name, meaning in COMMANDS.items()]
    return "\n".join(lines)


def complete(text: str, column: int, prefix: str) -> list[dict[str, object]] | None:
    """Return completion items for a `??` line (DAP CompletionItem), or None for other lines. `column` is 1-based."""
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
"""Category of console output; some consoles drop categories they do not know."""
CALM = "dap-ai"
"""Category for VS Code, which shows "console" as a warning and unknown categories as program output."""


def respond(out: Outbox, message: Envelope, result: str) -> None:
    """Answer an `evaluate` of the current client."""
    out.respond(message, {"result": result, "variablesReference": 0})


def category_for(client: ClientInfo) -> str:
    """Return the output category for a client. Only the real VS Code announces `supportsANSIStyling`."""
    return CALM if client.id == "vscode" and client.ansi_styling else CATEGORY

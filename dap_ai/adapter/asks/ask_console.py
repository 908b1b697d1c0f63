"""`??` in a debug console: how a client with no plugin asks.

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
"""Of `evaluate`: what a user types. Helix's `:debug-eval` sends none."""

COMMANDS = {
    "new": "ask in a new conversation",
    "stop": "cancel the current answer",
    "allow": "allow the action that the answer asks you to confirm; `allow session`: all of its kind",
    "deny": "refuse it",
    "help": "what can be asked here",
}
SLASH = "/ask"
SESSION = "session"
"""After `allow`: every action of this kind, until the session ends."""

DEFAULT_QUESTION = "Why did it stop here?"


class ConsoleInput(NamedTuple):
    """What a `??` line means. `command` is "" for a question."""

    command: str
    question: str


def parse(text: str, prefix: str) -> ConsoleInput | None:
    """What the console line means; None if it is not ours. `prefix` empty: nothing is."""
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
    """What `??help` answers."""
    lines = [
        f"{prefix}                  why did it stop here?",
        f"{prefix}why is total 0     any question about the stopped program; follow-ups may refer to the last answer",
    ]
    lines += [f"{prefix}{name:<17} {meaning}" for name, meaning in COMMANDS.items()]
    return "\n".join(lines)


def complete(text: str, column: int, prefix: str) -> list[dict[str, object]] | None:
    """Completion items for a `??` line (DAP CompletionItem); None if the line is not ours. `column` is 1-based."""
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
"""Of these lines: some consoles drop any that they do not know."""
CALM = "dap-ai"
"""VS Code shows "console" as a warning, and what it does not know as it shows the program's own output."""


def respond(out: Outbox, message: Envelope, result: str) -> None:
    """Answers an `evaluate` of the client that is being served."""
    out.respond(message, {"result": result, "variablesReference": 0})


def category_for(client: ClientInfo) -> str:
    """Of the lines for a client. Others call themselves VS Code, too, but announce less (`supportsANSIStyling`)."""
    return CALM if client.id == "vscode" and client.ansi_styling else CATEGORY

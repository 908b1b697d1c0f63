"""Parses a line at the prompt of `--chat` as a question or as a command that moves the program. Has no side effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

PROMPT = "ask> "

Word = Literal["", "step", "next", "out", "continue", "quit", "help"]

MOVES: Mapping[Word, str] = {"step": "stepIn", "next": "next", "out": "stepOut"}
"""Commands that run the program to its next stop, with the DAP requests that they send."""

_MEANINGS: Mapping[Word, str] = {
    "step": "run to the next line, stepping into calls",
    "next": "run to the next line, stepping over calls",
    "out": "run until this function returns",
    "continue": "continue the program; an empty line and Ctrl-D do the same",
    "quit": "end the program, or detach from it",
    "help": "this list",
}

_WORDS: Mapping[str, Word] = {word: word for word in _MEANINGS}

HELP = "\n".join(
    [
        f"{'a question':<12}about the stopped program; it may refer to earlier answers",
        f"{'evaluate X':<12}also trace X, slice X: a single tool, without a model",
        *(f"{word:<12}{meaning}" for word, meaning in _MEANINGS.items()),
        "Ctrl-C cancels the current answer, and clears the line at the prompt.",
    ]
)


class ChatInput(NamedTuple):
    """A parsed line of the user; `word` is the command, or empty for a question."""

    word: Word
    question: str = ""


def parse(line: str | None) -> ChatInput:
    """Parse a line of the user. None is the end of input, which counts as the command `continue`."""
    text = (line or "").strip()
    if not text:
        return ChatInput("continue")
    word = _WORDS.get(text.lower(), "")
    return ChatInput(word, "" if word else text)

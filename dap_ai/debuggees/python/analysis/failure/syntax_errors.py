"""Explains a SyntaxError: the line with a caret, and the bracket that is probably not closed.

The stop's frames show only who imports the file; the exception names the file, line and column.
"""

from __future__ import annotations

import contextlib
import io
import tokenize
from typing import NamedTuple

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import literal_in
from dap_ai.agent.report.wording import ADVICE, CAUSE
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code, in_sentence

TYPES = frozenset({"SyntaxError", "IndentationError", "TabError", "_IncompleteInputError"})
"""Exception types of code that does not compile. Python 3.13+ raises the last for an incomplete notebook cell."""
_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
_SHOWN_BEFORE = 2


class Wrong(NamedTuple):
    """The place where a file does not compile. `line` and `column` are 1-based; column 0 means unknown."""

    source: SourceFile
    line: int
    column: int
    message: str


class Bracket(NamedTuple):
    """An opening bracket and its position; `line` and `column` are 1-based."""

    text: str
    line: int
    column: int


def wrong_at(case: StopSnapshot) -> Wrong | None:
    """Return the place of a SyntaxError, or None for another exception or a file that cannot be read."""
    error = case.exception
    if error is None or error.type.rpartition(".")[2] not in TYPES:
        return None
    told = {field.name: literal_in(field.text) for field in error.fields or ()}
    path, line, column, message = (told.get(name) for name in ("filename", "lineno", "offset", "msg"))
    source = case.sources.read(path) if isinstance(path, str) else None
    if source is None or not isinstance(line, int) or not isinstance(message, str):
        return None
    line = min(max(line, 1), max(len(source.lines), 1))
    return Wrong(source, line, column if isinstance(column, int) and column > 0 else 0, message)


def explain_syntax_error(
    wrong: Wrong, spot: str, bracket_spot: str, importer: str
) -> tuple[list[Section], list[Suspect]]:
    """Return the answer's paragraphs, verdict first, and the suspects.

    `spot` and `bracket_spot`: code positions of the error and of the open bracket, as Markdown. `importer`: the line
    that imports the file; empty for the program itself.
    """
    bracket = likely_open(wrong)
    suspects = [Suspect(wrong.source.path, wrong.line, 1.0, wrong.message)]
    shown = sorted({wrong.line, *range(max(1, wrong.line - _SHOWN_BEFORE), wrong.line)})
    message = in_sentence(wrong.message)
    advice = "Mend that line: nothing of the file has run."
    if bracket is not None:
        if bracket.line != wrong.line:
            suspects.insert(0, Suspect(wrong.source.path, bracket.line, 1.0, f"{code(bracket.text)} is not closed"))
            suspects[1].score = 0.8
            shown = sorted({bracket.line, *shown})
        closing = _OPENING[bracket.text]
        opened = f"{bracket_spot}, column {bracket.column}"
        advice = f"See whether the {code(bracket.text)} at {opened}, lacks its {code(closing)}."
    earlier = (
        f"; the {code(bracket.text)} at {bracket_spot} is open there" if bracket and bracket.line < wrong.line else ""
    )
    return [
        Section("verdict", f"{spot} does not compile: {message}{earlier}."),
        Section("cause", f"{CAUSE} {spot}: {message}{earlier}.\n\n{wrong.source.block(_quoted(wrong, shown))}"),
        Section("advice", f"{ADVICE} {advice}"),
        Section("note", f"It is imported at {importer}." if importer else ""),
    ], suspects


def likely_open(wrong: Wrong) -> Bracket | None:
    """Return the innermost bracket still open before the error, or None."""
    is_open: list[Bracket] = []
    text = io.StringIO("\n".join(wrong.source.lines))
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # tokens after the error may be anything
        for token in tokenize.generate_tokens(text.readline):
            line, column = token.start[0], token.start[1] + 1
            if (line, column) >= (wrong.line, wrong.column or 1):
                break
            if token.type == tokenize.OP and token.string in _OPENING:
                is_open.append(Bracket(token.string, line, column))
            elif token.string in _CLOSING and is_open and is_open[-1].text == _CLOSING[token.string]:
                is_open.pop()
    named = wrong.message[1:2] if "was never closed" in wrong.message else ""
    if named in _OPENING and wrong.column:
        return Bracket(named, wrong.line, wrong.column)
    return is_open[-1] if is_open and "invalid syntax" in wrong.message else None


def _quoted(wrong: Wrong, lines: list[int]) -> str:
    rows: list[str] = []
    for number in lines:
        text = wrong.source.line(number).rstrip("\n").expandtabs(4)
        rows.append(f"{number:4}  {text}")
        if number == wrong.line and wrong.column:
            before = wrong.source.line(number)[: wrong.column - 1].expandtabs(4)
            rows.append(" " * (6 + len(before)) + "^")
    return "\n".join(rows)

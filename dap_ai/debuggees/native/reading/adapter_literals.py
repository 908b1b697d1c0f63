"""Parses string literals as lldb-dap and gdb write them, and joins gdb's pieces into one literal. Does no I/O."""

from __future__ import annotations

import re

from dap_ai.debuggees.native.reading.numbers import character

MAX_REPEATS = 4096
_LITERAL = r'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(
    rf"(?P<literal>{_LITERAL})|'(?P<repeated>\\?.[^']*)' <repeats (?P<times>\d+) times>"
    r"|<incomplete sequence (?P<incomplete>[^>]*)>",
    re.DOTALL,
)
_BEGINNING = re.compile(r"(?:0x[0-9a-fA-F]+ )?[LuU8b]*(?=[\"'])")
_CHARACTER = re.compile(r"\\(?:x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|[0-7]{3}|.)|.", re.DOTALL)
_OF_LLDB = re.compile(r'((?:0x[0-9a-fA-F]+ )?[LuU8]*")(.*)(")', re.DOTALL)
_UNCLEAR = re.compile(r"\\U000000([0-9a-fA-F]{2})|(\\0)(?=\d)|\\.", re.DOTALL)


def joined(text: str) -> str:
    """Return the string literal at the start of the text, with quotes and escapes; empty if there is no literal.

    Characters that gdb shows as repeats are written out. Repeated zeros at the end are dropped, because they are the
    unused rest of an array.
    """
    found = _BEGINNING.match(text)
    at = found.end() if found else -1
    pieces: list[str] = []
    zeros = 0
    while found and (piece := _PIECE.match(text, at)):
        if piece["times"]:
            pieces.append(piece["repeated"] * min(int(piece["times"]), MAX_REPEATS))
        else:
            pieces.append(piece["literal"][1:-1] if piece["literal"] else piece["incomplete"])
        zeros = zeros + 1 if piece["repeated"] == "\\000" else 0
        at = piece.end()
        if not text.startswith(", ", at):
            break
        at += 2
    return f'"{"".join(pieces[: len(pieces) - zeros])}"' if pieces else ""


def clear_of_lldb(text: str, *, rust: bool) -> str:
    r"""Rewrite a string literal of lldb-dap so that it has only one meaning.

    lldb-dap writes a zero before a digit as `\0`, other control characters with eight digits, and the text of a Rust
    string unescaped.
    """
    found = _OF_LLDB.fullmatch(text)
    if not found:
        return text
    inside = spelled(found[2].encode("utf-8", "surrogateescape"))[1:-1] if rust else _UNCLEAR.sub(_cleared, found[2])
    return found[1] + inside + found[3]


def _cleared(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\x{found[1]}"
    return "\\000" if found[2] else found[0]


def characters(literal: str) -> list[str]:
    """Return the characters between a literal's quotes. Each escape is one element."""
    return _CHARACTER.findall(literal[1:-1])


def within(literal: str, length: int, *, wide: bool) -> str:
    """Return the part of a literal that fits into an array of `length` characters, without final zeros.

    lldb-dap 19 reads beyond the array's end.
    """
    found = characters(literal)
    while found and (found[-1] in ("\\0", "\\000") or len(codes(f'"{"".join(found)}"', wide=wide)) > length):
        found.pop()
    return f'"{"".join(found)}"'


def is_cut(text: str) -> bool:
    """Whether the adapter cut the text off, or the text has repeats that are too long to write out."""
    repeats = re.findall(r"<repeats (\d+) times>", text)
    return text.rstrip().endswith("...") or any(int(times) > MAX_REPEATS for times in repeats)


def codes(literal: str, *, wide: bool = False) -> list[int]:
    """Return the codes of a literal's characters if `wide`; otherwise the bytes in which the program stores them."""
    found: list[int] = []
    for each in characters(literal):
        if len(each) > 1 or wide:
            found.append(character(f"'{each}'") or 0)
        else:
            found.extend(each.encode("utf-8", "surrogateescape"))
    return found


def spelled(data: bytes) -> str:
    """Return a string literal with quotes and escapes for the bytes of a text."""
    text = data.decode("utf-8", "backslashreplace")
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
    return f'"{"".join(escapes.get(each, each) for each in text)}"'

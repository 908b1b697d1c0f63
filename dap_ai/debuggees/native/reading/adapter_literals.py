"""String literals as lldb-dap and gdb write them: their characters, and one literal made of gdb's pieces. Pure."""

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
    """The literal that the text begins with, with its quotes and escapes, gdb's repeats written out; empty: none.

    Repeated zeros at the end are what an array has left.
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
    r"""The same literal so that it has one meaning.

    lldb-dap writes a zero before a digit as `\0`, other control characters with eight digits, and what stands in a
    string of Rust as it is.
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
    """What stands between the quotes, an escape as one."""
    return _CHARACTER.findall(literal[1:-1])


def within(literal: str, length: int, *, wide: bool) -> str:
    """What of it stands in an array of that length, without the zeros at its end: lldb-dap 19 reads on behind it."""
    found = characters(literal)
    while found and (found[-1] in ("\\0", "\\000") or len(codes(f'"{"".join(found)}"', wide=wide)) > length):
        found.pop()
    return f'"{"".join(found)}"'


def is_cut(text: str) -> bool:
    """Whether the adapter has not written the whole text, or what it has is too long to be written out."""
    repeats = re.findall(r"<repeats (\d+) times>", text)
    return text.rstrip().endswith("...") or any(int(times) > MAX_REPEATS for times in repeats)


def codes(literal: str, *, wide: bool = False) -> list[int]:
    """The numbers of a literal's characters; unless `wide`, those of the bytes that it is stored in."""
    found: list[int] = []
    for each in characters(literal):
        if len(each) > 1 or wide:
            found.append(character(f"'{each}'") or 0)
        else:
            found.extend(each.encode("utf-8", "surrogateescape"))
    return found


def spelled(data: bytes) -> str:
    """The literal of a text's bytes."""
    text = data.decode("utf-8", "backslashreplace")
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
    return f'"{"".join(escapes.get(each, each) for each in text)}"'

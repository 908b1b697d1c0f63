"""What stands in the place of a secret: equal secrets have equal numbers, different ones have different numbers.

A number is the beginning of a hash with a random key of the session, long enough that no other secret has it. Of a
secret that was cut, and whose rest is not known, `<secret:part:3f2a>`: equal beginnings have equal numbers, and nothing
is said about the whole.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

from dap_ai.agent.masking.patterns import lazy
from dap_ai.protocol.wire.safe import Safe, as_it_is

_SIZE = 4
_BLOCK = lazy(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(.*?)(?:-----END |\Z)", re.DOTALL)
_LINE_BREAKS = lazy(r"\\+[nr]|[\s\"'\\]+")


class Placeholders:
    """Those of one session. `key`: nobody without it can try values against a number."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._owners: dict[str, str] = {}
        """The whole digest that a number belongs to."""

    def of(self, secret: str, *, part: bool = False) -> Safe:
        """The placeholder of a secret; `part`: of its beginning."""
        said = ("part:" if part else "whole:") + same_form(secret)
        digest = hmac.new(self._key, said.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        size = _SIZE
        while self._owners.setdefault(digest[:size], digest) != digest:
            size += 2
        return as_it_is(f"<secret:{'part:' if part else ''}{digest[:size]}>")


def same_form(secret: str) -> str:
    """One secret has one form: without white space around it, a private key without its marks and line ends."""
    if "PRIVATE KEY" in secret and (block := _BLOCK.search(secret)):
        return material(block[1])
    return secret.strip()


def material(lines: str) -> str:
    """The characters of a private key, however its lines are broken and quoted."""
    return _LINE_BREAKS.sub("", lines)


def fillers(wanted: Sequence[tuple[str, int]]) -> list[str]:
    """For each placeholder a text of this length that stands for its secret in a copy; no two are alike."""
    made: dict[str, None] = {}
    for placeholder, size in wanted:
        filler, count = in_its_place(placeholder, size), 0
        while filler in made:  # a short one has no room for the whole number
            filler, count = f"<{count:0{min(4, size - 2)}x}>".ljust(size, "*"), count + 1
        made[filler] = None
    return list(made)


def in_its_place(placeholder: str, size: int) -> str:
    """A text of this length: the placeholder, or its number alone, and stars."""
    number = placeholder.rpartition(":")[2].removesuffix(">")
    text = placeholder if size >= len(placeholder) else f"<{number[: size - 2]}>"
    return text.ljust(size, "*")

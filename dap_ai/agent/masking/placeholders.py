"""Placeholders for secrets: equal secrets have equal numbers, different secrets have different numbers.

A number is the beginning of a hash with a random key of the session, long enough to be unique. If a secret was cut and
its rest is unknown, its placeholder is `<secret:part:3f2a>`: equal beginnings have equal numbers, and the number does
not identify the whole.
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
    """The placeholders of one session. Nobody can test guesses of a secret without knowing `key`."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._owners: dict[str, str] = {}
        """Full hash of the secret by its number."""

    def of(self, secret: str, *, part: bool = False) -> Safe:
        """Returns the placeholder of a secret. `part`: only the beginning of the secret is known."""
        said = ("part:" if part else "whole:") + same_form(secret)
        digest = hmac.new(self._key, said.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        size = _SIZE
        while self._owners.setdefault(digest[:size], digest) != digest:
            size += 2
        return as_it_is(f"<secret:{'part:' if part else ''}{digest[:size]}>")


def same_form(secret: str) -> str:
    """Returns a secret without surrounding white space. For a private key, also removes markers and line ends."""
    if "PRIVATE KEY" in secret and (block := _BLOCK.search(secret)):
        return material(block[1])
    return secret.strip()


def material(lines: str) -> str:
    """Returns a private key's characters without line breaks and quotes."""
    return _LINE_BREAKS.sub("", lines)


def fillers(wanted: Sequence[tuple[str, int]]) -> list[str]:
    """Returns distinct strings that replace the secrets in a copy of the program.

    `wanted` holds (placeholder, length) of each secret.
    """
    made: dict[str, None] = {}
    for placeholder, size in wanted:
        filler, count = in_its_place(placeholder, size), 0
        while filler in made:  # a short filler has no room for the whole number
            filler, count = f"<{count:0{min(4, size - 2)}x}>".ljust(size, "*"), count + 1
        made[filler] = None
    return list(made)


def in_its_place(placeholder: str, size: int) -> str:
    """Returns the placeholder, or only its number, as text of length `size`, padded with stars."""
    number = placeholder.rpartition(":")[2].removesuffix(">")
    text = placeholder if size >= len(placeholder) else f"<{number[: size - 2]}>"
    return text.ljust(size, "*")

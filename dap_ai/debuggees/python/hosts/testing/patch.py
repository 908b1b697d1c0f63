"""Combines the verified fixes into one patch without duplicates or overlapping fixes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from dap_ai.debuggees.python.hosts.answer_process import named

if TYPE_CHECKING:
    from dap_ai.protocol.wire.safe import Safe

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class Patch(NamedTuple):
    """A patch for `git apply` with `fixes` fixes; `left_out` counts fixes that overlap another fix."""

    text: str
    fixes: int
    left_out: int


def from_root(diff: Safe, file: str, root: str) -> Safe:
    """Returns a diff with its path relative to `root`; unchanged if the file lies outside `root`."""
    name = named(os.path.relpath(file, root)) if file.startswith(root + os.sep) else ""
    head, plus, hunks = diff.partition("\n@@")
    return f"--- a/{name}\n+++ b/{name}\n@@{hunks}" if name and plus and head.startswith("--- ") else diff


def patch_of(found: Iterable[Mapping[str, Any]]) -> Patch:
    """Returns the patch of all findings. Fixes that make the most tests pass come first, and guesses are marked."""
    verified = [each for each in found if each.get("claims", {}).get("verified")]
    passes = Counter(each["diff"] for each in verified)
    by_diff = {each["diff"]: each for each in reversed(verified)}
    taken: dict[str, list[range]] = {}
    parts: list[str] = []
    for diff, count in passes.most_common():
        path, lines = diff.partition("\n")[0], _lines(diff)
        if any(lines.start < other.stop and other.start < lines.stop for other in taken.get(path, ())):
            continue
        taken.setdefault(path, []).append(lines)
        parts.append(_words(by_diff[diff], count) + diff + "\n")
    return Patch("".join(parts), len(parts), len(passes) - len(parts))


def _lines(diff: str) -> range:
    """Returns the range of lines that a diff covers."""
    hunks = [(int(first), int(count or 1)) for first, count in _HUNK.findall(diff)]
    return range(min((first for first, _ in hunks), default=0), max((sum(hunk) for hunk in hunks), default=0))


def _words(one: Mapping[str, Any], count: int) -> str:
    """Returns the comment line before a diff; `git apply` ignores this line."""
    others = f" (and {count - 1} more)" if count > 1 else ""
    guess = "a guess that makes it pass: check that it does what you intend" if one["claims"]["guess"] else "verified"
    return f"# {one['nodeid']}{others}: {guess}\n"

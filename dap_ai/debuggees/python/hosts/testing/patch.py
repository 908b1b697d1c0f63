"""The fixes that were verified, as one patch: each once, and no two of the same lines."""

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
    """`text`, of so many `fixes`, is for `git apply`; `left_out` are too near to another one."""

    text: str
    fixes: int
    left_out: int


def from_root(diff: Safe, file: str, root: str) -> Safe:
    """The diff of a file with its path from `root`, wherever the program stood; unchanged if it lies elsewhere."""
    name = named(os.path.relpath(file, root)) if file.startswith(root + os.sep) else ""
    head, plus, hunks = diff.partition("\n@@")
    return f"--- a/{name}\n+++ b/{name}\n@@{hunks}" if name and plus and head.startswith("--- ") else diff


def patch_of(found: Iterable[Mapping[str, Any]]) -> Patch:
    """Of findings. That which makes most tests pass comes first; what none of the rules explains is called a guess."""
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
    """From the first to the last that it quotes."""
    hunks = [(int(first), int(count or 1)) for first, count in _HUNK.findall(diff)]
    return range(min((first for first, _ in hunks), default=0), max((sum(hunk) for hunk in hunks), default=0))


def _words(one: Mapping[str, Any], count: int) -> str:
    """What stands before a diff; whatever applies it passes over it."""
    others = f" (and {count - 1} more)" if count > 1 else ""
    guess = "a guess that makes it pass: check that it does what you intend" if one["claims"]["guess"] else "verified"
    return f"# {one['nodeid']}{others}: {guess}\n"

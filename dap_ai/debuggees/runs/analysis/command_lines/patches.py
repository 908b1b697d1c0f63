"""Parses patches to files and replacements. A patch is a unified diff or has the `apply_patch` format."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
DIFF_HEADER = re.compile(r"^diff --git a/\S+ b/(\S+)", re.MULTILINE)
MAX_CHARS = 400_000
"""Maximum characters of a patch to read."""
_MAX_DIFF = 2_000_000
"""Maximum characters of a git diff to search for file names."""


def files_of_diff(text: str) -> list[str]:
    """Return the paths in the headers of a git diff."""
    return DIFF_HEADER.findall(text[:_MAX_DIFF])


def writes_of_patch(text: str) -> Iterator[FileWrite]:
    """Yields the writes of a patch; nothing if the patch is invalid.

    An apply_patch patch has one write per file or hunk, a unified diff one per hunk.
    """
    text = text[:MAX_CHARS]
    if "*** Begin Patch" in text or _FILE.search(text):
        yield from _apply_patch(text)
    else:
        yield from _unified(text)


def _apply_patch(text: str) -> Iterator[FileWrite]:
    path, verb = "", ""
    old: list[str] = []
    new: list[str] = []
    for line in [*text.split("\n"), "*** End Patch"]:
        found = _FILE.match(line.rstrip("\r"))
        if found or line.startswith(("*** End Patch", "@@")):
            if path and (old or new or verb == "Delete"):
                how = "create" if verb == "Add" else "delete" if verb == "Delete" else "edit"
                yield FileWrite(path, how, None, "\n".join(old) if verb == "Update" else None, "\n".join(new))
            old, new = [], []
            if verb == "Delete":
                path = ""
            if found:
                verb, path = found[1], found[2].strip()
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith(" "):
            old.append(line[1:])
            new.append(line[1:])


def _unified(text: str) -> Iterator[FileWrite]:
    path, source = "", ""
    lines: tuple[int, int] | None = None
    old: list[str] = []
    new: list[str] = []
    before = ""
    for line in [*text.split("\n"), "@@"]:
        hunk = _HUNK.match(line)
        heading = line.startswith("+++ ") and before.startswith("--- ")
        if (hunk or heading or line.startswith(("@@", "diff "))) and path and lines and (old or new):
            if heading and old:
                old.pop()  # the line `--- a/x` of the next file
            how = "create" if source == "/dev/null" else "edit"
            yield FileWrite(
                path, how, lines if old else None, "\n".join(old) if how == "edit" else None, "\n".join(new)
            )
            old, new = [], []
        if heading:
            source, path, lines = _name(before[4:]), _name(line[4:]), None
            path = source if path == "/dev/null" else path
        elif hunk:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines, old, new = (first, first + max(count, 1) - 1), [], []
        elif lines:
            _one(line, old, new)
        before = line


def _one(line: str, old: list[str], new: list[str]) -> None:
    if line[:1] in {" ", "-"}:
        old.append(line[1:])
    if line[:1] in {" ", "+"}:
        new.append(line[1:])


def _name(text: str) -> str:
    name = text.split("\t", maxsplit=1)[0].strip().strip('"')
    return name[2:] if name.startswith(("a/", "b/")) else name

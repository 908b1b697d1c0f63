"""Classifies and names the frames of a native stack, and describes recursions and library frames together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from dap_ai.agent.case.frame_rows import is_subtle, path_of
from dap_ai.agent.case.stop_snapshot import StackFrame
from dap_ai.system.texts import counted

_SYSTEM_FOLDERS = ("/usr/include/", "/usr/local/include/", "/usr/lib/", "/usr/src/", "/rustc/", "/Library/Developer/")
_LIBRARY_PARTS = (
    *("/.cargo/registry/", "/.cargo/git/", "/rustlib/", "/.rustup/", "/c++/v1/"),
    *("/libsanitizer/", "/compiler-rt/", "/sanitizer_common/", "/libstdc++-v3/", "/build/glibc-"),
)
_BUILT_ELSEWHERE = re.compile(r"(?:\./|\.\./)*(?:sysdeps|nptl|csu|stdlib|malloc|string|libio|assert|signal)/")
_RUNTIME_NAMES = re.compile(
    r"_*(?:interceptor_|asan_|tsan_|ubsan_|lsan_|msan_|sanitizer_|libc_start)|__(?:asan|tsan|ubsan|sanitizer)::|_start$"
)
_MARKS = re.compile(r"(?:\s*\[(?:inlined|opt|artificial|suspicious[^\]]*)\])+$")
_RUST_SIGNS = {"LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",", "RF": "&", "BP": "*", "SP": "@"}
_RUST_SIGN = re.compile(rf"\$({'|'.join(_RUST_SIGNS)}|u[0-9a-f]{{2,5}})\$")
_STRING = re.compile(r"std::(?:__\w+::)?basic_string<char, std::char_traits<char>, std::allocator<char> ?>")
_ALLOCATOR = re.compile(r", std::(?:__\w+::)?allocator<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
"""Matches allocator arguments of C++ templates, which programmers do not write in their source."""
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_MAX_PERIOD = 4
_MIN_REPEATS = 3
_MIN_FRAMES = 6


def is_user_frame(name: str, path: str) -> bool:
    """Whether a frame runs the user's own code: its source file exists and is not of a library, compiler or runtime."""
    plain = path.replace("\\", "/")
    if not plain or is_library(path):
        return False
    if _BUILT_ELSEWHERE.match(plain) or _RUNTIME_NAMES.match(name):
        return False
    return Path(path).is_file()


def is_library(path: str) -> bool:
    """Whether a file's folder belongs to the system, the compiler or a library."""
    plain = path.replace("\\", "/")
    return plain.startswith(_SYSTEM_FOLDERS) or any(part in plain for part in _LIBRARY_PARTS)


def clean_name(name: str) -> str:
    """Return the name of a frame's function as the source spells it, without the adapter's marks and Rust's hash."""
    plain = _RUST_HASH.sub("", _MARKS.sub("", name))
    if "std::" in plain:
        plain = _ALLOCATOR.sub("", _STRING.sub("std::string", plain)).replace(" >", ">")
    if "$" not in plain:
        return plain
    return _RUST_SIGN.sub(_sign, plain.replace("_$", "$").replace("..", "::"))


def _sign(found: re.Match[str]) -> str:
    """Decode a sign in a Rust symbol, such as `$LT$` or `$u7b$`."""
    code = found[1]
    return chr(int(code[1:], 16)) if code.startswith("u") else _RUST_SIGNS[code]


def is_inlined(name: str) -> bool:
    """Whether the frame's name contains the adapter's mark for inlined functions, as in lldb-dap's `f [inlined]`."""
    return "[inlined]" in name


def frames_of(rows: list[dict[str, Any]]) -> list[StackFrame]:
    """Convert DAP stack frames to StackFrames.

    A placeholder that an adapter shows for a missing source is not user code.
    """
    frames: list[StackFrame] = []
    for row, caller in zip(rows, [*rows[1:], {}], strict=True):
        told, path = str(row.get("name", "?")), path_of(row)
        user = is_user_frame(told, path) and not is_subtle(row)
        at = row.get("instructionPointerReference")
        shares = bool(at) and at == caller.get("instructionPointerReference") and told != caller.get("name")
        inlined = shares or is_inlined(told)
        frames.append(StackFrame(row["id"], clean_name(told), path, row.get("line", 0), user, inlined=inlined))
    return frames


class NamedFrame(Protocol):
    """The properties of a stack frame that folding needs."""

    @property
    def name(self) -> str:
        """Name of the frame's function."""
        ...

    @property
    def user(self) -> bool:
        """Whether the frame runs the user's own code."""
        ...


@dataclass(frozen=True)
class FoldedFrames:
    """Consecutive stack frames that are described together.

    `first` is the number of the first frame; 0 is the innermost.
    """

    first: int
    count: int
    names: tuple[str, ...]
    """Names of the functions, innermost first, each only once. For a recursion, the functions of one period. Empty if
    the frames were not read."""
    kind: Literal["recursion", "library", ""]
    """Kind of the frames. recursion: `names` repeat. library: no frame runs the user's code. An empty string: one frame
    of the user's code."""

    @property
    def last(self) -> int:
        """Number of the outermost of these frames."""
        return self.first + self.count - 1


def folded(frames: Sequence[NamedFrame], total: int = 0, outermost: Sequence[NamedFrame] = ()) -> list[FoldedFrames]:
    """Fold a stack into runs of frames, innermost first. Every frame belongs to exactly one run.

    A deep stack of `total` frames may be read only at its ends: the innermost (`frames`) and the `outermost`. If the
    same recursion is on both sides of the gap, it is one run, on the assumption that it continues in between.
    """
    runs = _runs(frames, 0)
    if total <= len(frames):
        return runs
    outer = _runs(outermost, total - len(outermost))
    return _joined(runs, outer, total - len(frames) - len(outermost), total)


def recursion_of(runs: Iterable[FoldedFrames]) -> FoldedFrames | None:
    """Return the longest recursion among folded frames, or None if there is no recursion."""
    return max((run for run in runs if run.kind == "recursion"), key=lambda run: run.count, default=None)


def in_words(run: FoldedFrames) -> str:
    """Describe folded frames, as in `1,994 frames of fib -> fib` or `3 library frames: raise, abort, ...`."""
    number = counted(run.count, "frame")
    if run.kind == "recursion":
        return f"{number} of {' -> '.join((*run.names, run.names[0]))}"
    if not run.names:
        return f"{number} not read"
    shown = ", ".join(run.names[:3]) + (", ..." if len(run.names) > 3 else "")
    return f"{counted(run.count, 'library frame')}: {shown}"


def _runs(frames: Sequence[NamedFrame], base: int) -> list[FoldedFrames]:
    found: list[FoldedFrames] = []
    at = 0
    while at < len(frames):
        run = _recursion(frames, at) or _library(frames, at) or FoldedFrames(at, 1, (frames[at].name,), "")
        found.append(FoldedFrames(base + run.first, run.count, run.names, run.kind))
        at += run.count
    return found


def _recursion(frames: Sequence[NamedFrame], at: int) -> FoldedFrames | None:
    """Return the recursion that begins at a user frame, with its shortest period, or None."""
    if not frames[at].user:
        return None
    for period in range(1, _MAX_PERIOD + 1):
        end = at + period
        while end < len(frames) and frames[end].name == frames[end - period].name:
            end += 1
        if end - at >= max(_MIN_FRAMES, _MIN_REPEATS * period):
            return FoldedFrames(at, end - at, tuple(frame.name for frame in frames[at : at + period]), "recursion")
    return None


def _library(frames: Sequence[NamedFrame], at: int) -> FoldedFrames | None:
    end = at
    while end < len(frames) and not frames[end].user:
        end += 1
    names = tuple(dict.fromkeys(frame.name for frame in frames[at:end]))
    return FoldedFrames(at, end - at, names, "library") if end > at else None


def _joined(inner: list[FoldedFrames], outer: list[FoldedFrames], hidden: int, total: int) -> list[FoldedFrames]:
    """Join the runs at both ends of a stack with a run for the gap between them."""
    deep, rest = inner[-1] if inner else None, list(outer)
    if deep is None or deep.kind != "recursion":
        gap = [FoldedFrames(total - hidden - sum(run.count for run in outer), hidden, (), "")] if hidden > 0 else []
        return [*inner, *gap, *outer]
    while rest and set(rest[0].names) <= set(deep.names):
        rest.pop(0)
    end = rest[0].first if rest else total
    return [*inner[:-1], FoldedFrames(deep.first, end - deep.first, deep.names, "recursion"), *rest]

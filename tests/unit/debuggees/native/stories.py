"""Small programs that fail, with their suspects marked in the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.protocol.contracts.inspection import ThreadFrame, Value
from tests.unit.debuggees.native.cases import At, stopped

C, CPP, RUST = "/src/shop.c", "/src/shop.cpp", "/src/shop.rs"
_CODE = re.compile(r"`([^`]*)`")
_MARK = re.compile(r"\s*// (\d+)$")


@dataclass(frozen=True)
class Story:
    """A program that stops, and what is to be said of it."""

    name: str
    source: str
    """`// 1` at the end of a line marks the first suspect, `// 2` the second."""
    frames: Sequence[At]
    """Its stack, innermost first."""
    kind: str = "null dereference"
    firm: bool = True
    """Whether the first suspect is called the root cause."""
    steps: Sequence[str] = ()
    """The way back to the origin, nearest first: line, what it does, and the name."""
    states: Sequence[str] = ()
    """The code and values that each sentence states; empty for a sentence that states none."""
    cited: Sequence[str] = ()
    """The expressions whose values are cited as evidence."""
    advice: Sequence[str] = ()
    """The code that each piece of advice names; empty for one that names none."""
    fix: str = ""
    """The line that is proposed in place of the wrong one."""
    stop: dict[str, Any] = field(default_factory=dict[str, Any])
    """How it stops, as `stopped` takes it, with the address of null by default; and `instruction`."""

    def __str__(self) -> str:
        return self.name


def analysis_of(story: Story) -> NativeAnalysis:
    """Analyses a story's stop. The program has no marks."""
    source = "\n".join(_MARK.sub("", line) for line in story.source.split("\n"))
    how = {"address": 0, **story.stop}
    instruction = how.pop("instruction", "")
    case = stopped(source, story.frames, **how)
    if case.inspection.fault:
        case.inspection.fault.instruction = instruction
    found = analyse(case)
    assert found is not None
    return found


def ranked(analysis: NativeAnalysis) -> list[int]:
    """The suspected lines, the most suspicious first."""
    return [suspect.line for suspect in analysis.suspects]


def marked(story: Story) -> list[int]:
    """The marked lines, in the order of their marks."""
    found = ((_MARK.search(line), n) for n, line in enumerate(story.source.split("\n"), 1))
    return [n for mark, n in sorted((int(mark[1]), n) for mark, n in found if mark)]


def steps(analysis: NativeAnalysis) -> list[str]:
    """The way back to the origin in a line for each step."""
    return [" ".join(f"{link.line} {link.words} {link.name}".split()) for link in analysis.chain]


def coded(sentences: Sequence[str]) -> list[str]:
    """The code and values in each sentence."""
    return [" ".join(_CODE.findall(sentence)) for sentence in sentences]


# -- what programs say of themselves --------------------------------------------------------------------------------


def asan(
    kind: str,
    line: int,
    *stacks: tuple[str, list[tuple[str, int]]],
    access: str = "read",
    size: int = 4,
    facts: Sequence[str] = (),
    text: str = "",
    path: str = C,
) -> Report:
    """AddressSanitizer's report. A stack is a title, and function and line of each frame."""
    told = [Stack(title, [ThreadFrame(name, path, at) for name, at in frames]) for title, frames in stacks]
    return Report("AddressSanitizer", kind, "", 0x5008, access, size, path, line, told, list(facts), text)


def ubsan(kind: str, message: str) -> Report:
    return Report("UndefinedBehaviorSanitizer", kind, message)


def panic(message: str) -> Report:
    return Report("panic", "panic", message)


def assertion(message: str) -> Report:
    return Report("assert", "assertion", message)


def thrown(kind: str, message: str) -> Report:
    return Report("terminate", kind, message)


def chars(text: str, size: int) -> Value:
    """A text in an array of characters."""
    return Value(f'"{text}"', f"char[{size}]", "str", length=len(text))

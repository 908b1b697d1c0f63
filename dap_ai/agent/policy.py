"""What an agent may do, decided by level, tool and the user's own lists; never by what a model says.

    observe    read what is stored
    compute    also evaluate: in a copy of the program, or by the allow-list
    mutate     also act on the program itself, each time with the user's consent

The user's lists are patterns of calls: a tool's name, and after a space its main argument: `step`,
`set_breakpoint shop.py:*`, `environment`, `execute *`. What is denied is refused at every level, and read widely; what
is allowed needs no consent, and read narrowly. Neither list can come from a workspace or from launch arguments
(config.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from dap_ai.protocol.ask import LEVELS, Level
from dap_ai.protocol.tools import (
    Code,
    ContinueTo,
    Definition,
    Disassemble,
    Environment,
    Evaluate,
    Execute,
    Info,
    Memory,
    Search,
    SetBreakpoint,
    SetVariable,
    Slice,
    Source,
    Step,
    ToolArguments,
    Trace,
    TypeOf,
    Variables,
)
from dap_ai.protocol.visible import visible

LEVEL_OF: Mapping[str, Level] = {
    "trace": "compute",
    "try_fix": "compute",
    "step": "mutate",
    "continue_to": "mutate",
    "set_breakpoint": "mutate",
    "execute": "mutate",
    "set_variable": "mutate",
}
"""The lowest level at which a tool may be called; the others from `observe` on."""

_INSTEAD: Mapping[str, str] = {
    "trace": "read values with `variables` and `frame`",
    "try_fix": "propose the fix without a verdict",
    "step": "answer from this stop, or recommend where to stop next",
    "continue_to": "recommend a breakpoint to the user",
    "set_breakpoint": "recommend it to the user",
    "execute": "use `evaluate`: it works on a copy",
    "set_variable": "use `evaluate` or `try_fix`: they work on a copy",
}


@dataclass(frozen=True)
class Verdict:
    """What becomes of a call."""

    outcome: Literal["allowed", "refused", "consent"]
    text: str = ""
    """Refused: the rule that was broken and what to do instead."""
    rule: str = ""
    """What decided, where the default did not: `level compute`, `deny: environment`, `allow: step`, `unsafe`."""


@dataclass(frozen=True)
class Policy:
    """The rules of one ask."""

    level: Level = "compute"
    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    unsafe: bool = False

    def decide(self, name: str, arguments: ToolArguments) -> Verdict:
        """Whether this call may be made, may not, or needs the user's consent."""
        if pattern := next((p for p in self.deny if _denies(p, name, arguments)), ""):
            text = f"`{name}` is refused: the user's list `deny` has `{pattern}`. Do without it."
            return Verdict("refused", text, f"deny: {pattern}")
        needed = LEVEL_OF.get(name, "observe")
        if LEVELS.index(self.level) < LEVELS.index(needed):
            text = (
                f"`{name}` is refused: it needs the level {needed}, and this question is at {self.level}, which only "
                f"the user can change. Instead, {instead(name)}."
            )
            return Verdict("refused", text, f"level {self.level}")
        if needed != "mutate":
            return Verdict("allowed")
        if self.unsafe:
            return Verdict("allowed", rule="unsafe")
        if pattern := next((p for p in self.allow if _allows(p, name, arguments)), ""):
            return Verdict("allowed", rule=f"allow: {pattern}")
        return Verdict("consent")

    def offers(self, name: str) -> bool:
        """Whether a model is told of the tool."""
        needed = LEVEL_OF.get(name, "observe")
        is_denied = any(fnmatchcase(name, tool) and wanted in ("", "*") for tool, wanted in map(_parts, self.deny))
        return LEVELS.index(self.level) >= LEVELS.index(needed) and not is_denied


def instead(name: str) -> str:
    """What a model can do without the tool."""
    return _INSTEAD.get(name, "do without it")


def described(name: str, arguments: ToolArguments) -> str:
    """A call's main argument, as the user's lists and a request for consent have it."""
    match arguments:
        case Step(how=how):
            return how
        case ContinueTo(file=file, line=line) | Definition(file=file, line=line):
            return f"{file}:{line}"
        case SetBreakpoint(file=file, line=line, condition=condition):
            return f"{file}:{line}{f' if {condition}' if condition else ''}"
        case SetVariable(expression=expression, value=value):
            return f"{expression} = {value}"
        case Evaluate(expression=text) | Execute(expression=text) | Trace(expression=text):
            return text
        case Slice(expression=text) | Variables(expression=text):
            return text
        case Memory(address=text) | Disassemble(address=text) if text:
            return text
        case Source(file=text) | Code(file=text) | Info(symbol=text) | TypeOf(symbol=text) | Search(text=text):
            return text
        case Environment(names=names):
            return " ".join(names) or name
        case _:
            return name


def plain(text: str, max_chars: int) -> str:
    """A model's words on one line, what does not show as escapes, cut; as they may be shown to a user."""
    text = " ".join(visible(text).split())
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"


def _parts(pattern: str) -> tuple[str, str]:
    tool, _, wanted = pattern.strip().partition(" ")
    return tool, wanted.strip()


def _denies(pattern: str, name: str, arguments: ToolArguments) -> bool:
    """Spaces and line ends in a call are one space, and letters are compared as Python reads them.

    The name of a file may be given by the end of its path, a variable of the environment among others.
    """
    tool, wanted = _parts(pattern)
    if not fnmatchcase(name, tool):
        return False
    calls = [described(name, arguments), *(arguments.names if isinstance(arguments, Environment) else ())]
    calls = [" ".join(unicodedata.normalize("NFKC", call).split()) for call in calls]
    wide = [wanted, f"*/{wanted}"] if hasattr(arguments, "file") else [wanted]
    return not wanted or any(fnmatchcase(call, each) for call in calls for each in wide)


def _allows(pattern: str, name: str, arguments: ToolArguments) -> bool:
    """Code is allowed as it stands or altogether: with `*` in the middle, `total(*)` would fit any other call."""
    tool, wanted = _parts(pattern)
    if not fnmatchcase(name, tool):
        return False
    if wanted in ("", "*", described(name, arguments).strip()):
        return True
    if not isinstance(arguments, ContinueTo | SetBreakpoint) or getattr(arguments, "condition", ""):
        return False
    spot = f"{arguments.file}:{arguments.line}"
    return fnmatchcase(spot, wanted) or fnmatchcase(spot, f"*/{wanted}")

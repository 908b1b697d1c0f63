"""What an agent may do, decided by level, tool and the user's own lists; never by what a model says.

    observe    read what is stored
    compute    also evaluate: in a copy of the program, or by the allow-list
    mutate     also act on the program itself, each time with the user's confirmation

The user's lists are patterns of calls: a tool's name, and after a space its main argument: `step`,
`set_breakpoint shop.py:*`, `environment`, `execute *`. What is denied is refused at every level, and read widely; what
is allowed needs no confirmation, and read narrowly. Neither list can come from a workspace or from launch arguments
(config.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, Protocol

import msgspec

from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import LEVELS, Level
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import cut

PLACE = "{file}:{line}"
"""The main argument of a tool that takes a place in the source: no code."""


class AnyTool(Protocol):
    """What the policy has to know of a tool; see agent.tools.base.Tool."""

    @property
    def name(self) -> str:
        """As in a call."""
        ...

    @property
    def level(self) -> str:
        """The lowest at which it may be called; one that is not known is above all."""
        ...

    @property
    def main(self) -> str:
        """Its main argument, as a format."""
        ...

    @property
    def alternative(self) -> str:
        """What a model can do without it."""
        ...

    def action(self, arguments: Any) -> str:
        """A call's main argument."""
        ...

    def deniable(self, arguments: Any) -> Sequence[str]:
        """What a pattern that denies calls is compared with."""
        ...


@dataclass(frozen=True)
class PolicyVerdict:
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

    def decide(self, tool: AnyTool, arguments: ToolArguments) -> PolicyVerdict:
        """Whether this call may be made, may not, or needs the user's consent."""
        if pattern := next((p for p in self.deny if _denies(p, tool, arguments)), ""):
            text = f"`{tool.name}` is refused: the user's list `deny` has `{pattern}`. Do without it."
            return PolicyVerdict("refused", text, f"deny: {pattern}")
        if not self._reaches(tool):
            text = (
                f"`{tool.name}` is refused: it needs the level {tool.level}, and this question is at {self.level}, "
                f"which only the user can change. Instead, {instead(tool)}."
            )
            return PolicyVerdict("refused", text, f"level {self.level}")
        if tool.level != "mutate":
            return PolicyVerdict("allowed")
        if self.unsafe:
            return PolicyVerdict("allowed", rule="unsafe")
        if pattern := next((p for p in self.allow if _allows(p, tool, arguments)), ""):
            return PolicyVerdict("allowed", rule=f"allow: {pattern}")
        return PolicyVerdict("consent")

    def offers(self, tool: AnyTool) -> bool:
        """Whether a model is told of the tool."""
        is_denied = any(fnmatchcase(tool.name, name) and wanted in ("", "*") for name, wanted in map(_parts, self.deny))
        return self._reaches(tool) and not is_denied

    def _reaches(self, tool: AnyTool) -> bool:
        """A level that is not known is above all."""
        return tool.level in LEVELS[: LEVELS.index(self.level) + 1]


def instead(tool: AnyTool) -> str:
    """What a model can do without the tool."""
    return tool.alternative or "do without it"


def plain(text: str, max_chars: int) -> str:
    """A model's words on one line, what does not show as escapes, cut; as they may be shown to a user."""
    return cut(" ".join(visible(text).split()), max_chars, "…")


def _parts(pattern: str) -> tuple[str, str]:
    tool, _, wanted = pattern.strip().partition(" ")
    return tool, wanted.strip()


def _denies(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Spaces and line ends in a call are one space, and letters are compared as Python reads them.

    The name of a file may be given by the end of its path.
    """
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    calls = [" ".join(unicodedata.normalize("NFKC", call).split()) for call in tool.deniable(arguments)]
    wide = [wanted, f"*/{wanted}"] if hasattr(arguments, "file") else [wanted]
    return not wanted or any(fnmatchcase(call, each) for call in calls for each in wide)


def _allows(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Code is allowed as it stands or altogether: with `*` in the middle, `total(*)` would fit any other call."""
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    action = tool.action(arguments)
    if wanted in ("", "*", action.strip()):
        return True
    is_place = tool.main == PLACE and action == PLACE.format_map(msgspec.structs.asdict(arguments))
    return is_place and (fnmatchcase(action, wanted) or fnmatchcase(action, f"*/{wanted}"))

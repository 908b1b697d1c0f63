"""Decides what an agent may do by level, tool and the user's lists. A model's text never affects the decision.

    observe    read stored values
    compute    also evaluate: in a copy of the program, or by the allow-list
    mutate     also act on the program itself, each time with the user's confirmation

The user's lists are patterns of calls: a tool's name, optionally followed by a space and its main argument: `step`,
`set_breakpoint shop.py:*`, `environment`, `execute *`. `deny` refuses calls at every level and matches widely; `allow`
skips the confirmation and matches narrowly. Neither list can come from a workspace or from launch arguments
(settings/configuration.py).
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
from dap_ai.system.texts import code, cut

PLACE = "{file}:{line}"
"""Main argument of tools that take a place in the source, not code."""


class AnyTool(Protocol):
    """The members of a tool that the policy uses."""

    @property
    def name(self) -> str:
        """Name by which a model or user calls the tool."""
        ...

    @property
    def level(self) -> str:
        """Lowest level at which the tool may be called. An unknown level counts as the highest."""
        ...

    @property
    def main(self) -> str:
        """Format string for the main argument of the tool."""
        ...

    @property
    def alternative(self) -> str:
        """What a model can do instead if it may not call the tool."""
        ...

    def action(self, arguments: Any) -> str:
        """Returns the main argument of a call."""
        ...

    def deniable(self, arguments: Any) -> Sequence[str]:
        """Returns strings of a call that are compared with the user's `deny` patterns."""
        ...


@dataclass(frozen=True)
class PolicyVerdict:
    """The policy's decision about one tool call."""

    outcome: Literal["allowed", "refused", "consent"]
    text: str = ""
    """For a refused call, the rule and what to do instead."""
    rule: str = ""
    """Rule that decided: `level compute`, `deny: environment`, `allow: step`, `unsafe`. Empty for the default."""


@dataclass(frozen=True)
class Policy:
    """The level and the user's lists in force for one question."""

    level: Level = "compute"
    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    unsafe: bool = False

    def decide(self, tool: AnyTool, arguments: ToolArguments) -> PolicyVerdict:
        """Decides whether a tool call is allowed, is refused, or needs the user's consent."""
        if pattern := next((p for p in self.deny if _denies(p, tool, arguments)), ""):
            text = f"{code(tool.name)} is refused: the user's list `deny` has {code(pattern)}. Do without it."
            return PolicyVerdict("refused", text, f"deny: {pattern}")
        if not self._reaches(tool):
            text = (
                f"{code(tool.name)} is refused: it needs the level {tool.level}, and this question is at {self.level}, "
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
        """Whether a model may see the tool: its level suffices, and no `deny` pattern matches every call."""
        is_denied = any(fnmatchcase(tool.name, name) and wanted in ("", "*") for name, wanted in map(_parts, self.deny))
        return self._reaches(tool) and not is_denied

    def _reaches(self, tool: AnyTool) -> bool:
        """Whether the policy's level permits the tool. False for an unknown level."""
        return tool.level in LEVELS[: LEVELS.index(self.level) + 1]


def instead(tool: AnyTool) -> str:
    """Returns what a model can do without the tool."""
    return tool.alternative or "do without it"


def plain(text: str, max_chars: int) -> str:
    """Formats a model's text for the user on one line, with invisible characters escaped and the end cut."""
    return cut(" ".join(visible(text).split()), max_chars, "…")


def _parts(pattern: str) -> tuple[str, str]:
    tool, _, wanted = pattern.strip().partition(" ")
    return tool, wanted.strip()


def _denies(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Whether a `deny` pattern matches a call. White space is collapsed, characters are NFKC-normalised.

    A pattern for a file also matches the end of its path.
    """
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    calls = [" ".join(unicodedata.normalize("NFKC", call).split()) for call in tool.deniable(arguments)]
    wide = [wanted, f"*/{wanted}"] if hasattr(arguments, "file") else [wanted]
    return not wanted or any(fnmatchcase(call, each) for call in calls for each in wide)


def _allows(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Whether an `allow` pattern matches a call.

    Wildcards match only places in the source: for code, `total(*)` would match any call.
    """
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    action = tool.action(arguments)
    if wanted in ("", "*", action.strip()):
        return True
    is_place = tool.main == PLACE and action == PLACE.format_map(msgspec.structs.asdict(arguments))
    return is_place and (fnmatchcase(action, wanted) or fnmatchcase(action, f"*/{wanted}"))

"""Decides what an agent may do by level, tool and the user's lists; never by a model's text.

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
from dap_ai.system.texts import cut

PLACE = "{file}:{line}"
"""Main argument of tools that take a place in the source, not code."""


class AnyTool(Protocol):
    """Part of a tool that the policy uses; see agent.tools.base.Tool."""

    @property
    def name(self) -> str:
        """Tool name in a call."""
        ...

    @property
    def level(self) -> str:
        """Lowest level at which it may be called; an unknown level counts as the highest."""
        ...

    @property
    def main(self) -> str:
        """Format string for its main argument."""
        ...

    @property
    def alternative(self) -> str:
        """Alternative for a model that may not call it."""
        ...

    def action(self, arguments: Any) -> str:
        """Returns a call's main argument."""
        ...

    def deniable(self, arguments: Any) -> Sequence[str]:
        """Returns the texts of a call that `deny` patterns are matched against."""
        ...


@dataclass(frozen=True)
class PolicyVerdict:
    """Decision about a call."""

    outcome: Literal["allowed", "refused", "consent"]
    text: str = ""
    """If refused: the rule and what to do instead."""
    rule: str = ""
    """Rule that decided, if not the default: `level compute`, `deny: environment`, `allow: step`, `unsafe`."""


@dataclass(frozen=True)
class Policy:
    """The rules of one ask."""

    level: Level = "compute"
    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    unsafe: bool = False

    def decide(self, tool: AnyTool, arguments: ToolArguments) -> PolicyVerdict:
        """Decides whether a call is allowed, refused, or needs the user's consent."""
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
        """Whether a model may see the tool."""
        is_denied = any(fnmatchcase(tool.name, name) and wanted in ("", "*") for name, wanted in map(_parts, self.deny))
        return self._reaches(tool) and not is_denied

    def _reaches(self, tool: AnyTool) -> bool:
        """Whether the tool's level is within the policy's; an unknown level is not."""
        return tool.level in LEVELS[: LEVELS.index(self.level) + 1]


def instead(tool: AnyTool) -> str:
    """Returns what a model can do without the tool."""
    return tool.alternative or "do without it"


def plain(text: str, max_chars: int) -> str:
    """Returns a model's text for the user: on one line, invisible characters escaped, cut."""
    return cut(" ".join(visible(text).split()), max_chars, "…")


def _parts(pattern: str) -> tuple[str, str]:
    tool, _, wanted = pattern.strip().partition(" ")
    return tool, wanted.strip()


def _denies(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Whether a `deny` pattern matches a call, with white space collapsed and characters NFKC-normalised.

    A file may also match by the end of its path.
    """
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    calls = [" ".join(unicodedata.normalize("NFKC", call).split()) for call in tool.deniable(arguments)]
    wide = [wanted, f"*/{wanted}"] if hasattr(arguments, "file") else [wanted]
    return not wanted or any(fnmatchcase(call, each) for call in calls for each in wide)


def _allows(pattern: str, tool: AnyTool, arguments: ToolArguments) -> bool:
    """Whether an `allow` pattern matches. Wildcards match only places: in code, `total(*)` would match any call."""
    name, wanted = _parts(pattern)
    if not fnmatchcase(tool.name, name):
        return False
    action = tool.action(arguments)
    if wanted in ("", "*", action.strip()):
        return True
    is_place = tool.main == PLACE and action == PLACE.format_map(msgspec.structs.asdict(arguments))
    return is_place and (fnmatchcase(action, wanted) or fnmatchcase(action, f"*/{wanted}"))

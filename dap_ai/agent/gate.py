"""The one place that every call of a tool passes: the policy decides, and where that says so, the user.

1. Nothing here reads what a model says, but to show it: its reason, in its own words.
2. What the user has refused is not asked again in the same question; after MAX_DENIALS, nothing is.
3. Each decision is a status line for the user and a line of the transcript.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

from dap_ai.agent.model import Message
from dap_ai.agent.policy import LEVEL_OF, Policy, Verdict, described, instead, plain
from dap_ai.protocol.acting import Consent
from dap_ai.protocol.debugger import Debugger, Sink
from dap_ai.protocol.tools import ToolArguments
from dap_ai.protocol.visible import on_one_line

MAX_DENIALS = 3
MAX_ACTION_CHARS = 1000
MAX_REASON_CHARS = 300
MAX_NOW_CHARS = 200
DECIDED = ("allowed (", "refused (")
"""How the status line of a decision begins."""
_MAX_SHOWN_CHARS = 120
_WHY_NOT = {"timeout": "nobody answered in time", "unseen": "there is nobody who could be asked"}
_NO_MORE = "The user has refused {count} actions in this question: none is asked for any more. Answer without."


class Gate:
    """The decisions of one ask."""

    def __init__(
        self,
        policy: Policy,
        debugger: Debugger,
        sink: Sink | None = None,
        keep: Callable[[Message], None] | None = None,
    ) -> None:
        self.policy = policy
        self._debugger = debugger
        self._sink = sink
        self._keep = keep
        self.waited_s = 0.0
        """How long the user was waited for."""
        self._denied: dict[tuple[str, bytes], str] = {}

    def ruled_out(self, name: str, arguments: ToolArguments) -> str:
        """Why the policy refuses the call; empty: it does not."""
        verdict = self.policy.decide(name, arguments)
        if verdict.outcome == "refused":
            self._note(name, arguments, "refused", verdict.rule)
        return verdict.text

    async def refusal(
        self, name: str, arguments: ToolArguments, now: Callable[[], Awaitable[str]] | None = None
    ) -> str:
        """Why the call is not made, and what to do instead; empty: it is made. Raises NotStopped.

        `now` reads what would be replaced, for the user who is asked.
        """
        verdict = self.policy.decide(name, arguments)
        if verdict.outcome == "refused":
            return self.ruled_out(name, arguments)
        if LEVEL_OF.get(name) != "mutate":
            return ""
        if text := _unreadable(name, arguments):
            self._note(name, arguments, "refused", "not to be read")
            return text
        return await self._acted(name, arguments, verdict, now)

    async def _acted(
        self, name: str, arguments: ToolArguments, verdict: Verdict, now: Callable[[], Awaitable[str]] | None
    ) -> str:
        if verdict.outcome == "allowed":
            self._note(name, arguments, "allowed", verdict.rule, unasked=True)
            return ""
        key = (name, msgspec.json.encode(msgspec.structs.replace(arguments, reason="")))
        if key in self._denied:
            return self._denied[key]
        if len(self._denied) >= MAX_DENIALS:
            return _NO_MORE.format(count=len(self._denied))
        reason = plain(getattr(arguments, "reason", ""), MAX_REASON_CHARS)
        is_now = plain(await now(), MAX_NOW_CHARS) if now else ""
        began = time.monotonic()
        try:
            consent = await self._debugger.approve(name, action_of(name, arguments), reason, is_now)
        finally:
            self.waited_s += time.monotonic() - began
        self._note(name, arguments, "allowed" if consent.allowed else "refused", consent.how)
        if not consent.allowed:
            self._denied[key] = _said_no(name, consent)
        return self._denied.get(key, "")

    def _note(
        self,
        name: str,
        arguments: ToolArguments,
        outcome: Literal["allowed", "refused"],
        how: str,
        *,
        unasked: bool = False,
    ) -> None:
        """`unasked`: the user has not seen the model's reason yet."""
        action = action_of(name, arguments)
        reason = plain(getattr(arguments, "reason", ""), MAX_REASON_CHARS)
        if self._sink:
            shown = name if action == name else f"{name} {action}"
            why = f"; its reason: {reason}" if unasked and reason else ""
            self._sink.emit("status", f"{outcome} ({how}): {plain(shown, _MAX_SHOWN_CHARS)}{why}")
        if self._keep:
            row = {"tool": name, "action": plain(action, MAX_ACTION_CHARS), "reason": reason}
            self._keep({"role": "consent", **row, "outcome": outcome, "how": how})


def lets_go_on(status: str) -> bool:
    """Whether a status line tells of a decision after which the program goes on at once."""
    return re.match(r"allowed \(.*?\): (step|continue_to) ", status) is not None


def action_of(name: str, arguments: ToolArguments) -> str:
    """What would be done, as code, with the frame where it is not the one that the question is about."""
    frame = getattr(arguments, "frame", None)
    text = described(name, arguments)
    return text if frame is None or LEVEL_OF.get(name) != "mutate" else f"{text}  # in frame {frame}"


def _unreadable(name: str, arguments: ToolArguments) -> str:
    """Why a user could not see what an action does; empty: it is on one line, and all of it is visible."""
    action = action_of(name, arguments)
    if len(action) > MAX_ACTION_CHARS:
        return (
            f"`{name}` is refused: the user has to read it, and it has more than {MAX_ACTION_CHARS} characters. "
            "Make it shorter."
        )
    if on_one_line(action) != action:
        return (
            f"`{name}` is refused: it holds a line end or an invisible character, and the user has to see all of it. "
            r"Write such characters as escapes: `\n`."
        )
    return ""


def _said_no(name: str, consent: Consent) -> str:
    said = _WHY_NOT.get(consent.how, "the user said no")
    return f"`{name}` is refused: {said}. Do not ask for it again in this question. Instead, {instead(name)}."

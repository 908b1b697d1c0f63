"""The gate that every tool call passes: the policy decides, or the user if the policy requires consent.

1. A model's text never affects a decision; the user only sees the model's reason.
2. The gate does not ask again about an action that the user has refused in this question. After MAX_DENIALS refusals,
it asks about no further action.
3. Each decision is a status line for the user and a line of the transcript.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from dap_ai.agent.guard.policy import AnyTool, Policy, PolicyVerdict, instead, plain
from dap_ai.agent.model_port import Message
from dap_ai.protocol.contracts.debugger import Consent, Debugger, Sink
from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.visible import on_one_line
from dap_ai.system.texts import code

MAX_DENIALS = 3
MAX_ACTION_CHARS = 1000
MAX_REASON_CHARS = 300
MAX_NOW_CHARS = 200
DECIDED = ("allowed (", "refused (")
"""Beginnings of the status line for a decision."""
_MAX_SHOWN_CHARS = 120
_WHY_NOT = {"timeout": "nobody answered in time", "unseen": "there is nobody who could be asked"}
_NO_MORE = "The user has refused {count} actions in this question: none is asked for any more. Answer without."


@dataclass(eq=False)
class ToolGate:
    """Decides about the tool calls of one question."""

    policy: Policy
    _debugger: Debugger
    _sink: Sink | None = None
    _keep: Callable[[Message], None] | None = None
    waited_s: float = field(default=0.0, init=False)
    """Seconds spent waiting for the user's consent."""
    _denied: dict[tuple[str, bytes], str] = field(default_factory=dict[tuple[str, bytes], str], init=False)

    def ruled_out(self, tool: AnyTool, arguments: ToolArguments) -> str:
        """Returns why the policy refuses the call; empty if the policy does not refuse."""
        verdict = self.policy.decide(tool, arguments)
        if verdict.outcome == "refused":
            self._note(tool, arguments, "refused", verdict.rule)
        return verdict.text

    async def refusal(
        self, tool: AnyTool, arguments: ToolArguments, now: Callable[[], Awaitable[str]] | None = None
    ) -> str:
        """Decides about a call, asking the user if necessary. Raises NotStopped.

        Returns why the call is refused and what to do instead; empty if the call may run. `now` reads the value that
        the call would replace, for the confirmation.
        """
        verdict = self.policy.decide(tool, arguments)
        if verdict.outcome == "refused":
            return self.ruled_out(tool, arguments)
        if tool.level != "mutate":
            return ""
        if text := _unreadable(tool, arguments):
            self._note(tool, arguments, "refused", "not to be read")
            return text
        return await self._acted(tool, arguments, verdict, now)

    async def _acted(
        self, tool: AnyTool, arguments: ToolArguments, verdict: PolicyVerdict, now: Callable[[], Awaitable[str]] | None
    ) -> str:
        if verdict.outcome == "allowed":
            self._note(tool, arguments, "allowed", verdict.rule, unasked=True)
            return ""
        key = (tool.name, msgspec.json.encode(msgspec.structs.replace(arguments, reason="")))
        if key in self._denied:
            return self._denied[key]
        if len(self._denied) >= MAX_DENIALS:
            return _NO_MORE.format(count=len(self._denied))
        reason = plain(getattr(arguments, "reason", ""), MAX_REASON_CHARS)
        is_now = plain(await now(), MAX_NOW_CHARS) if now else ""
        began = time.monotonic()
        try:
            consent = await self._debugger.approve(tool.name, action_of(tool, arguments), reason, is_now)
        finally:
            self.waited_s += time.monotonic() - began
        self._note(tool, arguments, "allowed" if consent.allowed else "refused", consent.how)
        if not consent.allowed:
            self._denied[key] = _refusal(tool, consent)
        return self._denied.get(key, "")

    def _note(
        self,
        tool: AnyTool,
        arguments: ToolArguments,
        outcome: Literal["allowed", "refused"],
        how: str,
        *,
        unasked: bool = False,
    ) -> None:
        """Reports a decision to the user and records it. `unasked`: the user has not yet seen the model's reason."""
        action = action_of(tool, arguments)
        reason = plain(getattr(arguments, "reason", ""), MAX_REASON_CHARS)
        if self._sink:
            shown = tool.name if action == tool.name else f"{tool.name} {action}"
            why = f"; its reason: {reason}" if unasked and reason else ""
            self._sink.emit("status", f"{outcome} ({how}): {plain(shown, _MAX_SHOWN_CHARS)}{why}")
        if self._keep:
            row = {"tool": tool.name, "action": plain(action, MAX_ACTION_CHARS), "reason": reason}
            self._keep({"role": "consent", **row, "outcome": outcome, "how": how})


def lets_go_on(status: str) -> bool:
    """Whether a status line announces an allowed call that resumes the program."""
    return re.match(r"allowed \(.*?\): (step|continue_to) ", status) is not None


def action_of(tool: AnyTool, arguments: ToolArguments) -> str:
    """Returns a call's main argument. Adds the frame number if the call changes the program in a given frame."""
    frame = getattr(arguments, "frame", None)
    text = tool.action(arguments)
    return text if frame is None or tool.level != "mutate" else f"{text}  # in frame {frame}"


def _unreadable(tool: AnyTool, arguments: ToolArguments) -> str:
    """Returns why the user could not read the whole action; empty if the action is short, on one line and visible."""
    action = action_of(tool, arguments)
    if len(action) > MAX_ACTION_CHARS:
        return (
            f"{code(tool.name)} is refused: the user has to read it, and it has more than {MAX_ACTION_CHARS} "
            "characters. Make it shorter."
        )
    if on_one_line(action) != action:
        return (
            f"{code(tool.name)} is refused: it holds a line end or an invisible character, and the user has to see "
            r"all of it. Write such characters as escapes: `\n`."
        )
    return ""


def _refusal(tool: AnyTool, consent: Consent) -> str:
    said = _WHY_NOT.get(consent.how, "the user said no")
    return f"{code(tool.name)} is refused: {said}. Do not ask for it again in this question. Instead, {instead(tool)}."

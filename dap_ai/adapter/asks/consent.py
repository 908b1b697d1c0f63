"""The user's consent to actions of the agent. The agent asks once, and the client answers once.

    requested -> waiting -> allowed, denied (the client's answer), refused (no answer in time)
                         -> over (the ask or its stop has ended)

Only a message of the client can give consent, not output of the debug adapter, the debuggee or a model. While a request
waits, the ask's own time limit is paused.
"""

from __future__ import annotations

from typing import NamedTuple

from dap_ai.adapter.asks.asks import LIMIT, Asks, AskState, console_line
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import (
    ApprovalRequest,
    CancelTimer,
    Effect,
    PauseTimer,
    ResumeTimer,
    SetTimer,
    Settled,
    ToAgent,
)
from dap_ai.adapter.state.outbox import Message, Outbox
from dap_ai.adapter.state.session_options import SessionOptions
from dap_ai.protocol.contracts.debugger import Consent
from dap_ai.protocol.wire.ask_messages import AskApproval, AskApproveArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import NO_APPROVAL, NotStopped, RequestFailed
from dap_ai.protocol.wire.visible import on_one_line

CONSENT = "consent.wait:"
_MAX_REASON_CHARS = 500


class Approval(NamedTuple):
    """A request to the user to confirm an action of the agent."""

    approval_id: str
    wanted: ApprovalRequest
    guest: str = ""
    """The guest that must answer; empty if the session's own client must answer."""


class Consents:
    """Pending requests for consent, oldest first, and the answers that hold for the whole session."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks, options: SessionOptions) -> None:
        self._out = out
        self._state = state
        self._asks = asks
        self._options = options
        self._waiting: dict[str, Approval] = {}
        self._remembered: dict[tuple[str, str], bool] = {}
        """Maps (client, kind of action) to whether the session allows it. An empty client is the session's own."""
        self._approvals = 0

    def on_request(self, wanted: ApprovalRequest) -> None:
        """Ask the user for consent to an action, or settle the request without asking."""
        ask = self._asks.running.get(wanted.ask_id)
        if ask is None or wanted.epoch != self._state.epoch or not self._state.stopped:
            self._out.do(ToAgent(wanted.token, error=NotStopped("approve")))
        elif any(waiting.wanted.ask_id == wanted.ask_id for waiting in self._waiting.values()):
            text = "another action of this question is waiting for confirmation"
            self._out.do(ToAgent(wanted.token, error=RequestFailed("approve", "busy", text)))
        elif (ask.guest, wanted.kind) in self._remembered:
            allowed = self._remembered[ask.guest, wanted.kind]
            self._out.do(Settled(wanted.token, Consent(allowed, "session" if allowed else "denied")))
        elif not (ask.events or ask.channel == "console" or (ask.progress and self._options.console_prefix)):
            self._out.do(Settled(wanted.token, Consent(allowed=False, how="unseen")))  # the user cannot answer it
        else:
            self._wait(ask, wanted)

    def on_approve(self, message: Envelope) -> None:
        """Handle an `askApprove` request, with which the client allows or refuses an action of the agent."""
        given = message.read(AskApproveArguments)
        if self.answer(given.approval_id, allow=given.allow, remember=given.remember):
            self._out.respond(message)
        else:
            self._out.fail(message, NO_APPROVAL, approvalId=given.approval_id)

    def answer(self, approval_id: str, *, allow: bool, remember: bool) -> str:
        """Apply the client's answer, and return the text of the confirmed or denied action.

        Returns an empty string if no request of this client has this id.
        """
        approval = self._waiting.get(approval_id)
        if approval is None or approval.guest != self._out.guest:
            return ""
        action = on_one_line(approval.wanted.action)
        how = ("session" if remember else "once") if allow else "denied"
        self._settle(approval, Consent(allow, how))
        if remember:
            self._remembered[approval.guest, approval.wanted.kind] = allow
        return action

    def waiting_for(self, guest: str) -> list[Approval]:
        """Return the requests that this client must answer, oldest first."""
        return [approval for approval in self._waiting.values() if approval.guest == guest]

    def on_timer(self, timer_id: str) -> None:
        """Refuse an action because nobody has answered in time."""
        approval = self._waiting.get(timer_id.removeprefix(CONSENT))
        if approval is not None:
            self._settle(approval, Consent(allowed=False, how="timeout"))

    def drop_stale(self) -> None:
        """Drop requests for actions at an earlier stop, which are no longer possible."""
        for approval in list(self._waiting.values()):
            if approval.wanted.epoch != self._state.epoch:
                self._drop(approval)

    def end_ask(self, ask_id: str) -> None:
        """Drop requests of a question that has ended."""
        for approval in list(self._waiting.values()):
            if approval.wanted.ask_id == ask_id:
                self._drop(approval)

    def forget(self, guest: str) -> None:
        """Forget the session-wide answers of a guest that has left."""
        for key in [key for key in self._remembered if key[0] == guest]:
            del self._remembered[key]

    def _wait(self, ask: AskState, wanted: ApprovalRequest) -> None:
        self._approvals += 1
        approval = Approval(f"dap-ai-approval-{self._asks.mark}{self._approvals}", wanted, ask.guest)
        self._waiting[approval.approval_id] = approval
        self._out.tell(self._asks.flush(wanted.ask_id), ask.guest)
        self._out.tell(_messages(ask, approval, self._options), ask.guest)
        self._out.do(PauseTimer(LIMIT + wanted.ask_id))
        self._out.do(SetTimer(CONSENT + approval.approval_id, self._options.approval_timeout_s))

    def _settle(self, approval: Approval, consent: Consent) -> None:
        self._end(approval, Settled(approval.wanted.token, consent))

    def _drop(self, approval: Approval) -> None:
        self._end(approval, ToAgent(approval.wanted.token, error=NotStopped("approve")))

    def _end(self, approval: Approval, outcome: Effect) -> None:
        timers = CancelTimer(CONSENT + approval.approval_id), ResumeTimer(LIMIT + approval.wanted.ask_id)
        self._out.do(*timers, outcome)
        del self._waiting[approval.approval_id]


def _messages(ask: AskState, approval: Approval, options: SessionOptions) -> list[Message]:
    """Return the messages that show a request for consent to the user, one for each channel of the question."""
    wanted, timeout_s, prefix = approval.wanted, options.approval_timeout_s, options.console_prefix
    action = on_one_line(wanted.action)
    reason = on_one_line(" ".join(wanted.reason.split()))[:_MAX_REASON_CHARS]
    now = on_one_line(wanted.now)
    messages: list[Message] = []
    if ask.events:
        event = AskApproval(wanted.ask_id, approval.approval_id, action, reason, wanted.kind, timeout_s, now)
        messages.append(("askApproval", event))
    if ask.channel == "console":
        lines = [f"· {wanted.kind}, in the program itself: {action}"]
        if now:
            lines.append(f"· now it is {now}")
        if reason:
            lines.append(f"· why, in the model's words: “{reason}”")
        lines.append(f"· answer with {prefix}allow, {prefix}allow session or {prefix}deny within {timeout_s:g} s")
        messages.append(console_line("\n".join(lines) + "\n", ask.category))
    if ask.progress:
        message = f"waits for your confirmation ({prefix}allow, {prefix}deny): {action}{f' (now {now})' if now else ''}"
        messages.append(("progressUpdate", {"progressId": wanted.ask_id, "message": message}))
    return messages

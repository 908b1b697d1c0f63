"""Performs the agent's actions on the program: step, set breakpoints, evaluate, assign. Requires the level `mutate`.

    ActionRequest -> refused | NotStopped
                 -> evaluate, setExpression, setVariable   after the editor's requests, as the agent's reads
                 -> setBreakpoints                         merged with the client's (agent_breakpoints.py)
                 -> next, stepIn, stepOut, continue        until the program stops again (resuming.py)

Before each action, the user has consented to it (consent.py, agent/guard/policy.py). The checks here are the second
barrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec

from dap_ai.adapter.asks.agent_breakpoints import AgentBreakpoint, BreakpointMerger
from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.asks.reads import AgentReads, Then
from dap_ai.adapter.asks.resuming import PendingActions, Resuming
from dap_ai.adapter.asks.snapshot_jobs import Jobs
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import ActionRequest, AgentRequest
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import BreakpointsOwner
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.adapter.state.session_options import Fields
from dap_ai.adapter.state.value_edits import ValueEdits
from dap_ai.protocol.contracts.debugger import ActionResult
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from dap_ai.protocol.wire import envelope
from dap_ai.protocol.wire.dap_messages import BreakpointBody, ErrorBody, ResultBody, ScopesBody
from dap_ai.protocol.wire.envelope import Envelope, decode_or
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed


class Acting:
    """Performs the agent's actions on the program for a session's questions."""

    def __init__(
        self,
        out: Outbox,
        state: DebuggeeState,
        history: SessionHistory,
        gate: ForwardingRules,
        edits: ValueEdits,
        *,
        asks: Asks,
        reads: AgentReads,
        jobs: Jobs,
    ) -> None:
        self.breakpoints = BreakpointMerger(out)
        self._out = out
        self._state = state
        self._gate = gate
        self._edits = edits
        self._asks = asks
        self._reads = reads
        self._outcomes = PendingActions(out, history)
        self.resuming = Resuming(out, state, gate, jobs, self._outcomes)

    def on_action(self, wanted: ActionRequest) -> None:
        """Perform an action of the agent, or refuse the action."""
        self._outcomes.expect(wanted)
        ask = self._asks.running.get(wanted.ask_id)
        if ask is None or wanted.epoch != self._state.epoch or not self._state.thread_stopped(wanted.thread_id):
            self._outcomes.fail(wanted, NotStopped("act"))
        elif ask.ask.arguments.level != "mutate":
            why = "the program can only be changed at the level mutate"
            self._outcomes.fail(wanted, RequestFailed("act", "refused", why))
        else:
            self._act(wanted)

    def end_ask(self, ask_id: str) -> None:
        """Fail the pending actions of a question that has ended, and remove its breakpoints."""
        error = RequestFailed("act", "cancelled", "the question has ended")
        self.resuming.end(error, ask_id)
        for wanted in self._outcomes.of_ask(ask_id):
            self._outcomes.fail(wanted, error)
        if self._reads.dead:
            self.breakpoints.forget_agents()
        else:
            self.breakpoints.drop(lambda each: each.ask_id == ask_id)

    def on_client_resumes(self) -> None:
        """End the agent's resume and temporary breakpoints, because the user resumes or pauses the program."""
        self.resuming.end(NotStopped("act"))
        self.breakpoints.drop(lambda each: each.once)

    def admits(self, message: Envelope) -> bool:
        """Whether the client gets this event of the backend."""
        return self.resuming.admits(message) and not self.breakpoints.hides(message)

    def marks(self, message: Envelope) -> bool:
        """Whether this event is output of an expression that the agent evaluates in the program."""
        return message.name == "output" and self._reads.acts

    def on_event(self, message: Envelope) -> None:
        """Update the agent's actions and breakpoints from a backend event that the client already has."""
        if message.name == "stopped":
            self.breakpoints.drop(lambda each: each.once)
            self.resuming.on_stopped()
        elif message.name in ("terminated", "exited"):
            self.breakpoints.forget_agents()
            self.resuming.on_ended()
        elif message.name == "initialized":
            self.breakpoints.clear()

    def on_breakpoints(self, message: Envelope, owner: BreakpointsOwner) -> None:
        """Finish an agent's breakpoint after the response to `setBreakpoints`."""
        added = self.breakpoints.on_response(message, owner)
        wanted = self._outcomes.waiting(owner.token)
        if wanted is None:
            return
        if added is None:
            text = read_or(message, ErrorBody, ErrorBody()).text() or message.field("message", "")
            self._fail_breakpoint(wanted, text or "the debug adapter has not set it")
        elif isinstance(wanted.action, SetBreakpoint):
            condition = f" if {wanted.action.condition}" if wanted.action.condition else ""
            self._outcomes.note(f"breakpoint at {wanted.action.file}:{wanted.action.line}{condition}")
            self._outcomes.done(wanted, ActionResult(_breakpoint_status(added)))
        elif not added.verified:
            self._fail_breakpoint(wanted, _breakpoint_status(added))
        elif wanted.epoch != self._state.epoch:
            self._outcomes.fail(wanted, NotStopped("act"))
        else:
            self.resuming.begin(wanted, "continue")

    def _act(self, wanted: ActionRequest) -> None:
        match wanted.action:
            case Step(how):
                self.resuming.begin(wanted, how)
            case ContinueTo(file, line) if users := self.breakpoints.users(file, line):
                self.resuming.begin(wanted, "continue", f"there is {users} on this line")
            case ContinueTo(file, line):
                self.breakpoints.add(file, AgentBreakpoint(wanted.ask_id, line, once=True), wanted.token)
            case SetBreakpoint(file, line) if users := self.breakpoints.users(file, line):
                self._outcomes.done(wanted, ActionResult(f"there is {users} on this line; it stays as it is"))
            case SetBreakpoint(file, line, condition):
                self.breakpoints.add(file, AgentBreakpoint(wanted.ask_id, line, condition), wanted.token)
            case Execute(expression):
                arguments = {"expression": expression, "frameId": wanted.frame_id, "context": "repl"}
                self._send(wanted, "evaluate", arguments, partial(self._on_changed, wanted, expression))
            case SetVariable():
                self._set_variable(wanted, wanted.action)

    def _fail_breakpoint(self, wanted: ActionRequest, why: str) -> None:
        line = wanted.action.line if isinstance(wanted.action, SetBreakpoint | ContinueTo) else 0
        self.breakpoints.drop(lambda each: (each.ask_id, each.line) == (wanted.ask_id, line))
        self._outcomes.fail(wanted, RequestFailed("setBreakpoints", "notSet", why))

    def _set_variable(self, wanted: ActionRequest, action: SetVariable) -> None:
        text = f"{action.expression} = {action.value}"
        if self._gate.capabilities.get("supportsSetExpression"):
            arguments = {"expression": action.expression, "value": action.value, "frameId": wanted.frame_id}
            self._send(wanted, "setExpression", arguments, partial(self._on_changed, wanted, text))
        elif action.expression.isidentifier():
            self._send(wanted, "scopes", {"frameId": wanted.frame_id}, partial(self._on_scopes, wanted, action))
        else:
            why = "this debug adapter sets plain variables only"
            self._outcomes.fail(wanted, RequestFailed("setExpression", "notSupported", why))

    def _on_scopes(self, wanted: ActionRequest, action: SetVariable, body: bytes, error: RequestFailed | None) -> None:
        scopes = decode_or(body, ScopesBody, ScopesBody()).scopes
        if not scopes:
            self._outcomes.fail(wanted, error or RequestFailed("scopes", "noScopes", "the frame has no variables"))
            return
        local = next((each for each in scopes if each.presentation_hint == "locals"), scopes[0])
        arguments = {
            "variablesReference": local.variables_reference,
            "name": action.expression,
            "value": action.value,
        }
        then = partial(self._on_changed, wanted, f"{action.expression} = {action.value}")
        self._send(wanted, "setVariable", arguments, then)

    def _on_changed(self, wanted: ActionRequest, text: str, body: bytes, error: RequestFailed | None) -> None:
        """Finish an evaluation or assignment. The program may have changed, even if the request failed or timed out."""
        if isinstance(error, NotStopped):
            self._outcomes.fail(wanted, error)
            return
        if self._out.client.hears_invalidated:
            self._out.tell([("invalidated", {"areas": ["all"]})])
        match wanted.action:
            case Execute(expression):
                self._edits.on_typed(wanted.frame_id, expression, by_user=False)
            case SetVariable(expression) if error is None:
                read = decode_or(body, ResultBody, ResultBody())
                self._edits.on_set(wanted.frame_id, expression, read.value or read.result, by_user=False)
            case _:
                pass
        if error is None:
            read = decode_or(body, ResultBody, ResultBody())
            self._outcomes.note(text, read.result or read.value)
            self._outcomes.done(wanted, ActionResult(read.result or read.value))
            return
        if error.message == "timeout":
            why = "it has not returned in time, and may still be running in the program"
            error = RequestFailed(error.command, "timeout", why)
        self._outcomes.note(text, error.user_text)
        self._outcomes.fail(wanted, error)

    def _send(self, wanted: ActionRequest, command: str, arguments: Mapping[str, object], then: Then) -> None:
        refusal = self._gate.refuse(command, wanted.thread_id, self._state)
        if refusal is not None:
            self._outcomes.fail(wanted, RequestFailed(command, refusal.entry.message, refusal.text))
        else:
            self._reads.send(AgentRequest(wanted.ask_id, wanted.token, wanted.epoch, command, dict(arguments)), then)


def tagged(message: Envelope) -> bytes:
    """Return the body of an `output` event, marked as caused by the agent's own evaluation."""
    return envelope.encode(read_or(message, Fields, {}) | {"dapAiAgent": msgspec.Raw(b"true")})


def _breakpoint_status(added: BreakpointBody) -> str:
    where = f"on line {added.line}" if added.line else "there"
    if added.verified:
        return f"set {where}"
    return f"not verified {where}{': ' + added.message if added.message else ''}"

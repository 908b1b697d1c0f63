"""Resumes the program for the agent, and waits until the program stops again.

    begun -> [snapshots end] -> sent -> stopped | ended | still running after RESUME_S
                                     -> NotStopped: the user resumes or pauses, which takes precedence

The client gets the same events as after its own resume, plus `continued`, because it did not request this resume.
"""

from __future__ import annotations

from functools import partial

import msgspec

from dap_ai.adapter.asks import ask_rules
from dap_ai.adapter.asks.snapshot_jobs import Jobs
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import ActionRequest, CancelTimer, SetTimer, Settled, ToAgent
from dap_ai.adapter.state.forwarding_rules import ForwardingRules
from dap_ai.adapter.state.outbox import Outbox, read_or
from dap_ai.adapter.state.seqmap import ResumeOwner
from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.protocol.contracts.debugger import ActionResult
from dap_ai.protocol.contracts.tool_arguments import ContinueTo
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.protocol.wire.dap_messages import ContinueBody, ErrorBody
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

RESUME_S = 30.0
"""Seconds to wait for the next stop. After that, the program keeps running and the agent gets no stop."""
RESUME = "resuming.wait"


class _Resume(msgspec.Struct):
    wanted: ActionRequest
    command: str
    note: str
    """Text for the agent, sent with the new stop."""
    sent: bool = False
    told: bool = False
    """Whether the client knows that the program runs."""


class Resuming:
    """The agent's resume of the program. At most one resume is pending: no agent can act while the program runs."""

    def __init__(
        self, out: Outbox, state: DebuggeeState, gate: ForwardingRules, jobs: Jobs, outcomes: PendingActions
    ) -> None:
        self._out = out
        self._state = state
        self._gate = gate
        self._jobs = jobs
        self._outcomes = outcomes
        self._resume: _Resume | None = None

    def begin(self, wanted: ActionRequest, command: str, note: str = "") -> None:
        """Resume the thread that the question is about."""
        refusal = self._gate.refuse(command, wanted.thread_id, self._state)
        if refusal is not None:
            self._outcomes.fail(wanted, RequestFailed(command, refusal.entry.message, refusal.text))
            return
        resume = self._resume = _Resume(wanted, command, note)
        if self._jobs.end_stop():
            self._jobs.wait(partial(self._send, resume))
        else:
            self._send(resume)

    def end(self, error: RequestFailed, ask_id: str = "") -> None:
        """Fail the pending resume of this question; with an empty `ask_id`, of any question."""
        resume = self._resume
        if resume is not None and ask_id in ("", resume.wanted.ask_id):
            self._over()
            self._outcomes.fail(resume.wanted, error)

    def on_response(self, message: Envelope, owner: ResumeOwner) -> None:
        """Process the backend's response to a resume by the agent."""
        resume = self._resume if self._resume and self._resume.wanted.token == owner.token else None
        if not message.success:
            self._state.on_resume_failed(owner.stops_before)
            text = read_or(message, ErrorBody, ErrorBody()).text()
            if resume is not None:
                self.end(RequestFailed(owner.command, message.field("message", ""), text))
            return
        all_threads = read_or(message, ContinueBody, ContinueBody()).all_threads_continued
        if owner.command == "continue" and not all_threads:
            self._state.on_resumed_alone(owner.thread_id, owner.stops_before)
        if resume is not None:
            self._tell_continued(resume, all_threads=all_threads)

    def on_timer(self) -> None:
        """Finish a resume whose program is still running after RESUME_S."""
        self._finish(ActionResult())

    def admits(self, message: Envelope) -> bool:
        """Whether the client gets this event of the backend. Sends the client a missing `continued` first."""
        resume = self._resume
        if resume is None or not resume.sent:
            return True
        if message.name == "continued":
            is_first, resume.told = not resume.told, True
            return is_first
        if message.name == "stopped":
            self._tell_continued(resume, all_threads=True)
        return True

    def on_stopped(self) -> None:
        """Finish the resume, and tell the agent the new stop."""
        self._finish(ActionResult(stop=ask_rules.stop_of(AskArguments(), self._state)))

    def on_ended(self) -> None:
        """Finish the resume, and tell the agent that the program has ended."""
        self._finish(ActionResult(ended=True))

    def _send(self, resume: _Resume) -> None:
        wanted = resume.wanted
        if self._resume is not resume:
            return  # its ask has ended
        if not self._state.thread_stopped(wanted.thread_id):
            self.end(NotStopped(resume.command))
            return
        resume.sent = True
        before = self._state.on_resume(wanted.thread_id, single_thread=False)
        owner = ResumeOwner(wanted.token, resume.command, wanted.thread_id, before)
        self._out.ask_backend(resume.command, {"threadId": wanted.thread_id}, owner)
        self._out.do(SetTimer(RESUME, RESUME_S))
        action = wanted.action
        place = f" to {action.file}:{action.line}" if isinstance(action, ContinueTo) else ""
        self._outcomes.note(resume.command + place)

    def _finish(self, done: ActionResult) -> None:
        resume = self._resume
        if resume is not None and resume.sent:
            self._over()
            self._outcomes.done(resume.wanted, msgspec.structs.replace(done, result=resume.note))

    def _over(self) -> None:
        self._resume = None
        self._out.do(CancelTimer(RESUME))

    def _tell_continued(self, resume: _Resume, *, all_threads: bool) -> None:
        if not resume.told:
            resume.told = True
            body = {"threadId": resume.wanted.thread_id, "allThreadsContinued": all_threads}
            self._out.tell([("continued", body)])


class PendingActions:
    """The agent's actions that have no outcome yet, by token."""

    def __init__(self, out: Outbox, history: SessionHistory) -> None:
        self._out = out
        self._history = history
        self._waiting: dict[int, ActionRequest] = {}

    def expect(self, wanted: ActionRequest) -> None:
        """Register an action for whose outcome the agent waits."""
        self._waiting[wanted.token] = wanted

    def waiting(self, token: int) -> ActionRequest | None:
        """Return the pending action with this token, or None."""
        return self._waiting.get(token)

    def of_ask(self, ask_id: str) -> list[ActionRequest]:
        """Return the pending actions of a question."""
        return [wanted for wanted in self._waiting.values() if wanted.ask_id == ask_id]

    def note(self, text: str, result: str = "") -> None:
        """Add an action of the agent to the session's history."""
        self._history.add("agent", text, result)

    def done(self, wanted: ActionRequest, done: ActionResult) -> None:
        """Give the agent the result of a pending action. Ignores an action that already has an outcome."""
        if self._waiting.pop(wanted.token, None) is not None:
            self._out.do(Settled(wanted.token, done))

    def fail(self, wanted: ActionRequest, error: RequestFailed) -> None:
        """Give the agent the error of a pending action. Ignores an action that already has an outcome."""
        if self._waiting.pop(wanted.token, None) is not None:
            self._out.do(ToAgent(wanted.token, error=error))

"""The snapshots that asks have under way, and how each is ended before the program goes on.

One that has answered may take a moment to end. It is not asked for at once, so that the next read of its ask does not
wait: to end the last that has answered, at the end of the ask or of the stop, is to see to all before it.

A copy is ended by the backend's own short request, one copy after the other. What ends the stop is held until all are
answered, HOLD_S at most, and what the client says after it queues behind it. pydevd leaves no other way: it runs an
evaluate in the stopped thread but a resume in the thread that reads, so that of two in a row the resume is the first;
and of two evaluates that arrive together, the second may lie there for 0.2 s unless something more arrives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from dap_ai.adapter.asks.asks import Asks
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import CancelTimer, JobBegun, JobEnded, SetTimer
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.adapter.state.seqmap import KillOwner

HOLD_S = 0.1
_TRIES = 5
"""In HOLD_S; each asks again for the end of the copy that is awaited."""
HOLD = "jobs.hold"


class Jobs:
    """Running jobs by token, and those whose end is not confirmed yet."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks) -> None:
        self.holding = False
        """What the client says must wait."""
        self._state = state
        self._asks = asks
        self._held: deque[Callable[[], None]] = deque()
        self._out = out
        self._running: dict[str, JobBegun] = {}
        self._answered: dict[str, JobBegun] = {}
        """The last of each ask."""
        self._dying: deque[JobBegun] = deque()
        """Those whose end was asked for; of the first one, already of the backend."""
        self._tries = 0

    @property
    def running(self) -> frozenset[str]:
        """Tokens of those whose end nobody has asked for."""
        return frozenset(job.token for job in self._all())

    @property
    def are_alive(self) -> bool:
        """Whether any may have a process yet."""
        return bool(self._running or self._answered or self._dying)

    def on_begun(self, job: JobBegun) -> None:
        """A job is about to start; one that comes too late does not: its first request fails."""
        if job.ask_id in self._asks.running and job.epoch == self._state.epoch:
            self._running[job.token] = job

    def ended(self, job: JobEnded) -> None:
        """Nobody waits for a job any more."""
        begun = self._running.get(job.token)
        if begun is not None and job.alive:
            self._end(begun)
        elif begun is not None:
            self._answered[begun.ask_id] = self._running.pop(job.token)

    def end_ask(self, ask_id: str) -> None:
        """An ask has ended: so do its jobs."""
        for job in self._all():
            if job.ask_id == ask_id:
                self._end(job)

    def end_stale(self, epoch: int) -> None:
        """The program went on by itself: the jobs of other stops end, as far as the backend still lets them."""
        for job in self._all():
            if job.epoch != epoch:
                self._end(job)

    def wait(self, work: Callable[[], None]) -> None:
        """Something of the client's that must wait."""
        self._held.append(work)

    def next_waiting(self) -> Callable[[], None] | None:
        """What has waited and need not any more, in order."""
        return self._held.popleft() if self._held and not self.holding else None

    def end_stop(self) -> bool:
        """The stop is about to end: all jobs do. Whether what ends it must wait; nothing more is read in it then."""
        if self.holding:
            return True
        for job in self._all():
            self._end(job)
        if self._dying:
            self.holding = True
            self._tries = 1
            self._out.do(SetTimer(HOLD, HOLD_S / _TRIES))
            self._state.bump()
        return self.holding

    def confirmed(self, token: str) -> None:
        """The backend has answered a request to end one."""
        if not self._dying or self._dying[0].token != token:
            return
        self._dying.popleft()
        if self._dying:
            self._ask_for_end()
        else:
            self.go_on()

    def on_timer(self) -> None:
        """HOLD ran out: asked again, or the client waits no more."""
        if self._dying and self._tries < _TRIES:
            self._tries += 1
            self._ask_for_end()
            self._out.do(SetTimer(HOLD, HOLD_S / _TRIES))
        else:
            self.go_on()

    def go_on(self) -> None:
        """All are gone, or it has taken too long: a copy has its own deadline."""
        self._dying.clear()
        if self.holding:
            self.holding = False
            self._out.do(CancelTimer(HOLD))

    def forget(self) -> None:
        """The debuggee is gone, or the backend: its copies end with it."""
        self._running.clear()
        self._answered.clear()
        self.go_on()

    def _all(self) -> list[JobBegun]:
        return [*self._running.values(), *self._answered.values()]

    def _end(self, job: JobBegun) -> None:
        if self._running.pop(job.token, None) is None:
            del self._answered[job.ask_id]
        self._dying.append(job)
        if len(self._dying) == 1:
            self._ask_for_end()

    def _ask_for_end(self) -> None:
        job = self._dying[0]
        self._out.ask_backend(job.command, job.arguments, KillOwner(job.token))

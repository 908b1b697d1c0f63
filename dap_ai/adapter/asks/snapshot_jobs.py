"""The running snapshots of asks, and how each is ended before the program resumes.

A snapshot that has answered may take a moment to end. Its end is not requested at once, so that the next read of its
ask does not wait: ending the last one that has answered, at the end of the ask or of the stop, covers all before it.

A copy is ended by a short request of the backend, one copy after the other. A request that ends the stop is held until
all are answered, for at most HOLD_S, and later client messages queue behind it. pydevd allows no other way: it runs an
evaluate in the stopped thread but a resume in the reading thread, so that the resume overtakes the evaluate; and of two
evaluates that arrive together, the second may wait for 0.2 s unless more arrives.
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
"""Number of requests within HOLD_S to end the copy that is awaited."""
HOLD = "jobs.hold"


class Jobs:
    """The running snapshots ("jobs") by token, and those whose end is not confirmed yet."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks) -> None:
        self.holding = False
        """Whether client messages must wait."""
        self._state = state
        self._asks = asks
        self._held: deque[Callable[[], None]] = deque()
        self._out = out
        self._running: dict[str, JobBegun] = {}
        self._answered: dict[str, JobBegun] = {}
        """The last answered job of each ask."""
        self._dying: deque[JobBegun] = deque()
        """Jobs to be ended; the request to end the first one has been sent to the backend."""
        self._tries = 0

    @property
    def running(self) -> frozenset[str]:
        """Tokens of the jobs whose end was not requested."""
        return frozenset(job.token for job in self._all())

    @property
    def are_alive(self) -> bool:
        """Whether any job may still have a process."""
        return bool(self._running or self._answered or self._dying)

    def on_begun(self, job: JobBegun) -> None:
        """Register a job that is about to start; one that is too late is ignored, and its first request fails."""
        if job.ask_id in self._asks.running and job.epoch == self._state.epoch:
            self._running[job.token] = job

    def ended(self, job: JobEnded) -> None:
        """Handle a job that is no longer awaited."""
        begun = self._running.get(job.token)
        if begun is not None and job.alive:
            self._end(begun)
        elif begun is not None:
            self._answered[begun.ask_id] = self._running.pop(job.token)

    def end_ask(self, ask_id: str) -> None:
        """End the jobs of an ask that has ended."""
        for job in self._all():
            if job.ask_id == ask_id:
                self._end(job)

    def end_stale(self, epoch: int) -> None:
        """End jobs of other stops after the program resumed by itself, as far as the backend still allows."""
        for job in self._all():
            if job.epoch != epoch:
                self._end(job)

    def wait(self, work: Callable[[], None]) -> None:
        """Hold the client's `work` until the jobs have ended."""
        self._held.append(work)

    def next_waiting(self) -> Callable[[], None] | None:
        """Return the next held work once it may run, in order; None if there is none."""
        return self._held.popleft() if self._held and not self.holding else None

    def end_stop(self) -> bool:
        """End all jobs before the stop ends; return whether the request that ends it must wait.

        If so, nothing more is read in this stop.
        """
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
        """Handle the backend's answer to a request to end a job."""
        if not self._dying or self._dying[0].token != token:
            return
        self._dying.popleft()
        if self._dying:
            self._ask_for_end()
        else:
            self.go_on()

    def on_timer(self) -> None:
        """Handle the expiry of HOLD: request the end again, or let the client continue."""
        if self._dying and self._tries < _TRIES:
            self._tries += 1
            self._ask_for_end()
            self._out.do(SetTimer(HOLD, HOLD_S / _TRIES))
        else:
            self.go_on()

    def go_on(self) -> None:
        """Let the client continue: all jobs have ended, or it took too long (a copy has its own deadline)."""
        self._dying.clear()
        if self.holding:
            self.holding = False
            self._out.do(CancelTimer(HOLD))

    def forget(self) -> None:
        """Forget all jobs: the debuggee or the backend has ended, and its copies with it."""
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

"""The running snapshots (copies of the program) of asks, and how dap_ai ends them before the program resumes.

A snapshot that has answered may take a moment to end. dap_ai does not request its end at once, so that the next read of
its ask does not wait. At the end of the ask or of the stop, dap_ai ends the last snapshot that has answered, which
covers all snapshots before it.

A short request to the backend ends a copy, one copy after the other. A request that ends the stop is held until all of
these are answered, for at most HOLD_S, and later client messages queue behind it. pydevd allows no other way: it runs
an evaluate in the stopped thread but a resume in the reading thread, so that the resume overtakes the evaluate. Of two
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
"""Number of times that dap_ai requests the end of the same copy within HOLD_S."""
HOLD = "jobs.hold"


class Jobs:
    """The running snapshots ("jobs") by token, and the snapshots whose end the backend has not confirmed yet."""

    def __init__(self, out: Outbox, state: DebuggeeState, asks: Asks) -> None:
        self.holding = False
        """Whether client messages must wait until snapshots have ended."""
        self._state = state
        self._asks = asks
        self._held: deque[Callable[[], None]] = deque()
        self._out = out
        self._running: dict[str, JobBegun] = {}
        self._answered: dict[str, JobBegun] = {}
        """Maps each ask to the last of its snapshots that has answered."""
        self._dying: deque[JobBegun] = deque()
        """Snapshots to be ended. The backend has the request to end the first of them."""
        self._tries = 0

    @property
    def running(self) -> frozenset[str]:
        """Tokens of the snapshots whose end dap_ai has not requested."""
        return frozenset(job.token for job in self._all())

    @property
    def are_alive(self) -> bool:
        """Whether any snapshot may still have a process."""
        return bool(self._running or self._answered or self._dying)

    def on_begun(self, job: JobBegun) -> None:
        """Register a snapshot that is about to start. Ignores a snapshot whose ask or stop has ended."""
        if job.ask_id in self._asks.running and job.epoch == self._state.epoch:
            self._running[job.token] = job

    def ended(self, job: JobEnded) -> None:
        """Handle a snapshot whose result is no longer awaited."""
        begun = self._running.get(job.token)
        if begun is not None and job.alive:
            self._end(begun)
        elif begun is not None:
            self._answered[begun.ask_id] = self._running.pop(job.token)

    def end_ask(self, ask_id: str) -> None:
        """End the snapshots of an ask that has ended."""
        for job in self._all():
            if job.ask_id == ask_id:
                self._end(job)

    def end_stale(self, epoch: int) -> None:
        """End snapshots of earlier stops after the program has resumed by itself, if the backend still can."""
        for job in self._all():
            if job.epoch != epoch:
                self._end(job)

    def wait(self, work: Callable[[], None]) -> None:
        """Hold the client's `work` until the snapshots have ended."""
        self._held.append(work)

    def next_waiting(self) -> Callable[[], None] | None:
        """Return the next held work if it may run now, or None."""
        return self._held.popleft() if self._held and not self.holding else None

    def end_stop(self) -> bool:
        """End all snapshots before the stop ends. Return whether the request that ends the stop must wait.

        If that request must wait, nothing more is read in this stop.
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
        """Process the backend's answer to a request to end a snapshot."""
        if not self._dying or self._dying[0].token != token:
            return
        self._dying.popleft()
        if self._dying:
            self._ask_for_end()
        else:
            self.go_on()

    def on_timer(self) -> None:
        """Request the end of a snapshot again, or let the client continue after the last try."""
        if self._dying and self._tries < _TRIES:
            self._tries += 1
            self._ask_for_end()
            self._out.do(SetTimer(HOLD, HOLD_S / _TRIES))
        else:
            self.go_on()

    def go_on(self) -> None:
        """Let the client continue, because all snapshots have ended or took too long. A copy has its own deadline."""
        self._dying.clear()
        if self.holding:
            self.holding = False
            self._out.do(CancelTimer(HOLD))

    def forget(self) -> None:
        """Forget all snapshots, because the debuggee or the backend has ended and its copies with it."""
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

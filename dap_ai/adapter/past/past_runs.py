"""Reruns the program in a copy, once at a time: each rerun serves a client's request, and later requests wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import msgspec

from dap_ai.adapter.asks import ask_rules
from dap_ai.adapter.asks.asks import Asks, AskState
from dap_ai.adapter.asks.reads import AgentReads
from dap_ai.adapter.asks.snapshot_jobs import Jobs
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.effects import CancelAsk, LookBack, LookedBack
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.contracts.question import AcceptedAsk, StopEvent
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewind, Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotResult
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import NO_PAST, OTHER_MOMENT

NO_STEP = "No step back here: "
ANOTHER_RUN = f"{NO_STEP}the program does something else each time that it is run."


@dataclass(eq=False)
class PastRuns:
    """Reruns for one stop of one thread. All reruns belong to an internal ask, which ends like a user's ask."""

    _out: Outbox
    _state: DebuggeeState
    _asks: Asks
    _jobs: Jobs
    _reads: AgentReads
    thread_id: int = field(default=0, init=False)
    recalled: Recalled | None = field(default=None, init=False)
    """What the copy can rerun, or None if still unknown."""
    _ask: AcceptedAsk | None = field(default=None, init=False)
    _served: Envelope | None = field(default=None, init=False)
    """The request that waits for the active rerun, or None."""
    _then: Callable[[LookedBack], None] | None = field(default=None, init=False)
    _waiting: deque[tuple[Envelope, Callable[[], None]]] = field(
        default_factory=deque[tuple[Envelope, Callable[[], None]]], init=False
    )

    @property
    def are_under_way(self) -> bool:
        """Whether a rerun is active."""
        return self._served is not None

    def in_turn(self, message: Envelope, work: Callable[[], None]) -> None:
        """Serve a request after the requests that came before it."""
        if self.are_under_way:
            self._waiting.append((message, work))
        else:
            work()

    def recall(self, message: Envelope, thread_id: int, then: Callable[[Recalled], None]) -> None:
        """Find out what can be rerun up to this thread's stop. Fail the request if nothing can be rerun."""
        self.leave()
        stop = self._stop(thread_id)
        if stop is None:
            self.fail(message, f"{NO_STEP}this thread is not stopped.")
            return
        ask = AcceptedAsk(self._asks.new_ask_id(), "", AskArguments())
        self._asks.running[ask.ask_id] = AskState(ask, "request", events=False, progress=False)
        self._ask, self.thread_id = ask, thread_id
        self._begin(message, partial(self._on_recalled, message, then), LookBack(ask, stop))

    def run(self, message: Envelope, rewind: Rewind, then: Callable[[Rewound], None]) -> None:
        """Rerun the program and pass the result to `then`. Fail the request if there is no result."""
        stop = self._stop(self.thread_id)
        if self._ask is None or self.recalled is None or stop is None:
            self._out.fail(message, OTHER_MOMENT)
            return
        query = msgspec.structs.replace(self.recalled.query, rewind=rewind)
        self._begin(message, partial(self._on_run, message, then), LookBack(self._ask, stop, query))

    def on_looked(self, event: LookedBack) -> None:
        """Pass a finished rerun's result on, and serve the requests that waited for it."""
        then = self._then
        if then is None or self._ask is None or event.ask_id != self._ask.ask_id:
            return
        self._served = self._then = None
        then(event)
        while self._waiting and not self.are_under_way:
            self._waiting.popleft()[1]()

    def end_ask(self, ask_id: str) -> None:
        """Forget all reruns if this ask is their internal ask, and fail waiting requests."""
        if self._ask is None or self._ask.ask_id != ask_id:
            return
        unserved = [*([self._served] if self._served else []), *(message for message, _ in self._waiting)]
        self._ask = self.recalled = self._served = self._then = None
        self._waiting.clear()
        for message in unserved:
            self._out.fail(message, OTHER_MOMENT)

    def leave(self) -> None:
        """End the internal ask, because the stop has ended or the client wants another thread's past."""
        ask = self._ask
        if ask is not None:
            self._asks.running.pop(ask.ask_id, None)
            self._out.do(CancelAsk(ask.ask_id))
            self._jobs.end_ask(ask.ask_id)
            self._reads.end_ask(ask.ask_id)
            self.end_ask(ask.ask_id)

    def fail(self, message: Envelope, why: str) -> None:
        """Fail a request for a moment that cannot be shown. `why` is a sentence that gives the reason."""
        self._out.fail(message, NO_PAST, why=why)

    def _stop(self, thread_id: int) -> StopEvent | None:
        if not self._state.thread_stopped(thread_id):
            return None
        return ask_rules.stop_of(AskArguments(thread_id=thread_id), self._state)

    def _begin(self, message: Envelope, then: Callable[[LookedBack], None], wanted: LookBack) -> None:
        self._served, self._then = message, then
        self._out.do(wanted)

    def _on_recalled(self, message: Envelope, then: Callable[[Recalled], None], event: LookedBack) -> None:
        if event.recalled is None:
            self.fail(message, event.why)
            self.leave()
        else:
            self.recalled = event.recalled
            then(event.recalled)

    def _on_run(self, message: Envelope, then: Callable[[Rewound], None], event: LookedBack) -> None:
        if event.result is not None and event.result.rewound is not None:
            then(event.result.rewound)
        else:
            self.fail(message, event.why or _why_nothing(event.result))


def _why_nothing(result: SnapshotResult | None) -> str:
    status = result.status if result else ""
    if status == "deadline":
        return f"{NO_STEP}there was no time to run the program again."
    return f"{NO_STEP}{status.partition(': ')[2] or 'no copy of the program could be made'}."

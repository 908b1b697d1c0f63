"""Moves a thread between past moments: by lines, to breakpoints, and back to the present."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dap_ai.adapter.asks import ask_console
from dap_ai.adapter.asks.agent_breakpoints import BreakpointMerger
from dap_ai.adapter.past.moment_steps import WINDOW, Forward, MomentPlace, MomentSteps
from dap_ai.adapter.past.moment_view import Ids, MomentView
from dap_ai.adapter.past.past_arguments import PastArguments
from dap_ai.adapter.past.past_runs import ANOTHER_RUN, NO_STEP, PastRuns
from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import MomentQuery, Rewind, Rewound
from dap_ai.protocol.wire.dap_messages import StoppedBody
from dap_ai.protocol.wire.envelope import Envelope

DESCRIPTION = "a moment in the past, in a copy of the program"
BACK = frozenset({"stepBack", "reverseContinue"})
FORWARD: dict[str, Forward] = {"next": "next", "stepIn": "stepIn", "stepOut": "stepOut"}
_WELCOME = (
    "A moment in the past, in a copy of the program: the program itself stands where it stood, and nothing of it is "
    "changed. Steps go forward and back; `continue` returns to the present, or to a breakpoint before it.\n"
)
_START = "This is where the program begins: nothing of it lies before this line."


@dataclass(eq=False)
class PastMoves:
    """Moves a thread between moments of its past.

    `at` is the number of the moment shown, or 0 at the present. `view` shows that moment's variables; None at the
    present.
    """

    _out: Outbox
    _state: DebuggeeState
    _runs: PastRuns
    _breakpoints: BreakpointMerger
    at: int = field(default=0, init=False)
    view: MomentView | None = field(default=None, init=False)
    _steps: MomentSteps | None = field(default=None, init=False)
    _ids: Ids = field(default_factory=Ids, init=False)
    _welcomed: bool = field(default=False, init=False)

    def forget(self) -> None:
        """Forget all moments, and return to the present."""
        self.at, self.view, self._steps = 0, None, None

    def move(self, message: Envelope, arguments: PastArguments) -> None:
        """Serve a request that moves the thread. Before the first move, find out what can be rerun."""
        thread_id = self._runs.thread_id
        if self.at and arguments.thread_id != thread_id:
            self._runs.fail(message, f"{NO_STEP}thread {thread_id} is shown in its past: `continue` it first.")
        elif self._steps is not None and self._runs.recalled is not None and arguments.thread_id == thread_id:
            self._move(message, arguments, self._steps)
        else:
            self._runs.recall(message, arguments.thread_id, partial(self._on_recalled, message, arguments))

    def _on_recalled(self, message: Envelope, arguments: PastArguments, recalled: Recalled) -> None:
        self._steps = MomentSteps(recalled)
        self._move(message, arguments, self._steps)

    def _move(self, message: Envelope, arguments: PastArguments, steps: MomentSteps) -> None:
        match message.name:
            case "stepBack":
                self._step_back(message, steps, into=arguments.dap_ai_into)
            case "reverseContinue":
                self._back_to_halt(message, steps)
            case "continue":
                self._on_to_halt(message, steps)
            case _:
                self._step_on(message, steps, FORWARD[message.name])

    def _step_back(self, message: Envelope, steps: MomentSteps, *, into: bool) -> None:
        here = self.at or steps.present
        target = steps.back(here, into=into)
        if target is not None:
            self._go(message, target)
        elif min(here, steps.first) <= 1:
            self._runs.fail(message, _START)
        elif into:
            self._see(message, steps, here - 1, "step")
        else:
            rewind = Rewind(until=min(here, steps.first), most_calls=steps.depth(here))
            self._runs.run(message, rewind, partial(self._on_halt, message, steps, "step"))

    def _step_on(self, message: Envelope, steps: MomentSteps, how: Forward) -> None:
        here = self.at or steps.present
        target, most = steps.forward(here, how), steps.most_calls(here, how)
        if target == steps.present or (target is None and most < 1):
            self._to_present(message)
        elif target is not None:
            self._go(message, target)
        else:
            rewind = self._until(steps, 0)
            rewind.after, rewind.most_calls = here, most
            self._runs.run(message, rewind, partial(self._on_halt_after, message, steps, "step"))

    def _back_to_halt(self, message: Envelope, steps: MomentSteps) -> None:
        """Move back to the previous breakpoint, or to the program's start if the client has set no breakpoint."""
        rewind = self._until(steps, self.at)
        rewind.halts = list(self._breakpoints.halts())
        if self.at == 1:
            self._runs.fail(message, _START)
        elif rewind.halts:
            self._runs.run(message, rewind, partial(self._on_halt, message, steps, "breakpoint"))
        else:
            self._see(message, steps, 1, "step")

    def _on_to_halt(self, message: Envelope, steps: MomentSteps) -> None:
        """Move forward to the next breakpoint before the present, or to the present."""
        rewind = self._until(steps, 0)
        rewind.halts, rewind.after = list(self._breakpoints.halts()), self.at
        if self.at and rewind.halts:
            self._runs.run(message, rewind, partial(self._on_halt_after, message, steps, "breakpoint"))
        else:
            self._to_present(message)

    def _until(self, steps: MomentSteps, moment: int) -> Rewind:
        """Return a rerun that ends at `moment`. If `moment` is 0, the rerun ends at the present."""
        if not moment and steps.within and self._runs.recalled is not None:
            known = self._runs.recalled.query.rewind or Rewind()
            return Rewind(to_stop=known.to_stop, at_line=known.at_line)
        return Rewind(until=moment or steps.count)

    def _on_halt(self, message: Envelope, steps: MomentSteps, reason: str, found: Rewound) -> None:
        moment, why = (found.hit, reason) if found.hit else (1, "step")
        self._see(message, steps, moment, why)

    def _on_halt_after(self, message: Envelope, steps: MomentSteps, reason: str, found: Rewound) -> None:
        if found.hit > self.at:
            self._see(message, steps, found.hit, reason)
        else:
            self._to_present(message)

    def _see(self, message: Envelope, steps: MomentSteps, moment: int, reason: str) -> None:
        """Show a moment, after a rerun that fetches the moment if necessary."""
        show: Callable[[], None] = partial(self._go, message, moment, reason)
        if steps.knows(moment):
            show()
            return

        def on_moment(found: Rewound) -> None:
            if found.first <= moment <= found.count:
                steps.look_elsewhere(found)
                show()
            else:
                self._runs.fail(message, ANOTHER_RUN)

        self._runs.run(message, Rewind(until=min(moment + WINDOW, steps.count)), on_moment)

    def _go(self, message: Envelope, moment: int, reason: str = "step") -> None:
        """Rerun to a known moment and show that moment."""
        look = MomentQuery()

        def shown(found: Rewound) -> None:
            if self._steps is None or not found.frames or _spot(found) != self._steps.spot(moment):
                self._runs.fail(message, ANOTHER_RUN)
                return
            self.at, self.view = moment, MomentView(self._ids, found.frames)
            self.view.learn(look, found.seen[0])
            self._respond(message)
            self._tell(StoppedBody(reason, DESCRIPTION, thread_id=self._runs.thread_id))

        self._runs.run(message, Rewind(at=moment, looks=[look]), shown)

    def _to_present(self, message: Envelope) -> None:
        self.at, self.view = 0, None
        self._respond(message)
        self.tell_present()

    def tell_present(self) -> None:
        """Send the client the program's actual stop."""
        thread_id = self._runs.thread_id
        self._tell(self._state.stops.get(thread_id) or StoppedBody(reason="pause", thread_id=thread_id))

    def _respond(self, message: Envelope) -> None:
        self._out.respond(message, {"allThreadsContinued": False} if message.name == "continue" else None)

    def _tell(self, stop: StoppedBody) -> None:
        words = {name: text for name in ("description", "text") if (text := getattr(stop, name))}
        body: dict[str, Any] = {"reason": stop.reason, "threadId": stop.thread_id, "allThreadsStopped": True, **words}
        body["dapAiPast"] = self.at > 0
        if self.at:
            self._welcome()
        self._out.tell([("stopped", body)])

    def _welcome(self) -> None:
        if not self._welcomed:
            self._welcomed = True
            self._out.tell([("output", {"category": ask_console.category_for(self._out.client), "output": _WELCOME})])


def _spot(found: Rewound) -> MomentPlace:
    first = found.frames[0]
    return MomentPlace(first.file, first.function, first.line)

"""Serves a client's requests for the stack, scopes, values and expressions of a past moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from dap_ai.adapter.past.moment_view import Body, MomentView
from dap_ai.adapter.past.past_arguments import PastArguments
from dap_ai.adapter.past.past_moves import PastMoves
from dap_ai.adapter.past.past_runs import ANOTHER_RUN, PastRuns
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.contracts.rewind_messages import MomentQuery, MomentResult, Rewind, Rewound
from dap_ai.protocol.wire.envelope import Envelope
from dap_ai.protocol.wire.errors import FAILED_THERE, ONLY_LOOKED_AT, OTHER_MOMENT


@dataclass(eq=False)
class PastReads:
    """Serves requests that read the shown moment. Fetches unknown values by another rerun."""

    _out: Outbox
    _runs: PastRuns
    _moving: PastMoves

    def read(self, message: Envelope, arguments: PastArguments) -> None:
        """Serve one request that reads the shown moment."""
        view = self._moving.view
        if view is None:
            self._out.fail(message, OTHER_MOMENT.known())
            return
        match message.name:
            case "stackTrace":
                self._give(message, view.stack(arguments.start_frame or 0, arguments.levels or 0))
            case "scopes":
                self._give(message, view.scopes(arguments.frame_id or 0))
            case "variables":
                look = view.look_at(arguments.variables_reference, arguments.start or 0, arguments.count or 0)
                self._look(message, view, look, view.variables)
            case "evaluate":
                index = view.frame(arguments.frame_id or 0)
                look = None if index is None else MomentQuery(index, "=" + arguments.expression)
                self._look(message, view, look, view.value)
            case "completions" | "stepInTargets":
                self._give(message, {"targets": []})
            case _:
                self._out.fail(message, ONLY_LOOKED_AT.known(), command=message.name)

    def _give(self, message: Envelope, body: Body | None) -> None:
        if body is None:
            self._out.fail(message, OTHER_MOMENT.known())
        else:
            self._out.respond(message, body)

    def _look(
        self,
        message: Envelope,
        view: MomentView,
        look: MomentQuery | None,
        told: Callable[[MomentQuery, MomentResult], Body],
    ) -> None:
        known = view.result_of(look) if look else None
        if look is None or known is not None:
            self._tell(message, look, known or MomentResult(), told)
        else:
            then = partial(self._on_look_result, message, view, look, told)
            self._runs.run(message, Rewind(at=self._moving.at, looks=[look]), then)

    def _on_look_result(
        self,
        message: Envelope,
        view: MomentView,
        look: MomentQuery,
        told: Callable[[MomentQuery, MomentResult], Body],
        found: Rewound,
    ) -> None:
        seen = found.seen[0] if found.seen else MomentResult(error=ANOTHER_RUN)
        view.learn(look, seen)
        self._tell(message, look, seen, told)

    def _tell(
        self,
        message: Envelope,
        look: MomentQuery | None,
        seen: MomentResult,
        told: Callable[[MomentQuery, MomentResult], Body],
    ) -> None:
        if seen.error:
            self._out.fail(message, FAILED_THERE, error=seen.error)
        else:
            self._give(message, told(look, seen) if look else None)

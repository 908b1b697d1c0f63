"""A Debugger that also acts: what is done is played, and what the user says is a list of answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dap_ai.protocol.contracts.debugger import Action, ActionResult, Consent
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.errors import RequestFailed
from tests.unit.agent.harness import THREAD, Stopped

YES, NO = Consent(True, "once"), Consent(False, "denied")
ALWAYS, NOBODY, UNSEEN = Consent(True, "session"), Consent(False, "timeout"), Consent(False, "unseen")


@dataclass
class Acting(Stopped):
    """`said`: what the user answers, one after another; then no. `does`: what an action does."""

    said: list[Consent] = field(default_factory=list)
    does: Callable[[Action], ActionResult] | None = None
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """With each question, what would be replaced."""
    done: list[Action] = field(default_factory=list)
    frame_ids: list[int] = field(default_factory=list)

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        self._count("approve")
        self.asked.append((kind, action, reason))
        self.shown.append(now)
        return self.said.pop(0) if self.said else NO

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        self._count("act")
        self.done.append(action)
        self.frame_ids.append(frame_id)
        if self.does is None:
            raise RequestFailed("act", "failed", "the debug adapter refuses it")
        return self.does(action)

    def arrive(self, frames: Sequence[tuple[Any, int, int | None]], reason: str = "step") -> ActionResult:
        """The program goes on, to a stop with these frames; none: it ends."""
        self.epoch += 1
        self.frames, self.reason, self.error = list(frames), reason, None
        return ActionResult(stop=self.stop, ended=not frames)


def acting(stopped: Stopped, *said: Consent) -> Acting:
    """The same program, on which can be acted."""
    return Acting(**{name: getattr(stopped, name) for name in Stopped.__dataclass_fields__}, said=list(said))


__all__ = ["ALWAYS", "NO", "NOBODY", "THREAD", "UNSEEN", "YES", "Acting", "StopEvent", "acting"]

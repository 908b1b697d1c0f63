"""A recorded run as the target of `dap-ai ask --run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.commands.running.starting import Debugged
from dap_ai.commands.running.target import Session
from dap_ai.kinds.run import RecordedRun


class RunTarget(Debugged):
    """It is held at one step, asked about, and left: nothing goes on in it."""

    initialize: Mapping[str, Any] = {"adapterID": "agents", "supportsVariableType": True}

    asks = RecordedRun.asks
    on_cancel = "cancelling; press Ctrl-C again to leave"

    def __init__(self, path: str, stop_at: int | str, against: str = "") -> None:
        """`against`: the path of another run of the same task."""
        self._path = path
        self._against = against
        self._stop_at = stop_at

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """None: the run is held where it went wrong."""
        del exceptions, announced
        return ()

    def start_request(self, session: Session, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The path, and where to hold it."""
        del session, capabilities
        against = {"against": self._against} if self._against else {}
        return "launch", {"run": self._path, "stopAt": self._stop_at, **against}

    async def heard(self, session: Session, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The lines that the cursor passes are for an editor's console."""
        del session
        return None if name == "output" else body

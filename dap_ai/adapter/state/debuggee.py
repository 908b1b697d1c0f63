"""The state of the debugged program: its phase, its stopped threads, and the stop epoch.

The stop epoch is a counter. It rises whenever values read before may be stale: on a client's resume (before it is
forwarded), on `continued`, and when the running program stops. A `stopped` while stopped only adds a thread. A failed
resume restores the stop but not the epoch, because reading again is cheap and a wrong value is not.

    phase      created -> starting -> running -> ended;  restart: ended or running -> starting
    starting   launch or attach was sent; a stop in this phase changes it to running
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from dap_ai.adapter.state.path_mappings import PathMappings
from dap_ai.protocol.contracts.question import ValueEdit, WatchedData
from dap_ai.protocol.wire.dap_messages import ContinuedBody, FrameId, StoppedBody

RESUMING = frozenset(
    {"continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto", "restartFrame", "restart"}
)
"""Requests that may move the program to another line."""


_CALLED = "function call"
"""gdb's stop reason after a watch expression called a function. The program has not moved, but frame ids are new."""


class Phase(Enum):
    """Phase in the life of a debugged program."""

    CREATED = "created"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class DebuggeeState:
    """The state of a debugged program. `stops` maps each stopped thread to its `stopped` body, oldest stop first."""

    def __init__(self) -> None:
        self.phase = Phase.CREATED
        self.epoch = 0
        self.is_core = False
        """Whether a core file is debugged, which is always stopped."""
        self.stops: dict[int, StoppedBody] = {}
        self.terminated = False
        """Whether the client got `terminated` since the program was last started."""
        self._continued: dict[int, StoppedBody] = {}
        """The stops that the last `continued` event ended."""
        self._before: dict[int, StoppedBody] = {}
        """The stops that the last resume may have ended."""
        self._restarted_from: bool | None = None
        """Value of `terminated` before the pending restart of an ended program; None if no such restart is pending."""
        self.edits: list[ValueEdit] = []
        """Values set in the debugger since the program started, oldest first (value_edits.py)."""
        self.hit: list[WatchedData] = []
        """Variables whose data breakpoints may have stopped the program. At least one of them did."""
        self.paths = PathMappings()
        self.frames: dict[int, int] = {}
        """Maps each frame id that the client received in this epoch to the frame's thread."""
        self.failing_files: tuple[str, ...] = ()
        """Files of an exception's frames, innermost first. Empty until the client receives the frames."""

    @property
    def stopped(self) -> bool:
        """Whether any thread of the program is stopped."""
        return bool(self.stops)

    def thread_stopped(self, thread_id: int) -> bool:
        """Whether this thread is stopped, alone or with all threads."""
        return thread_id in self.stops or any(stop.all_threads_stopped for stop in self.stops.values())

    def last_stop(self) -> StoppedBody | None:
        """Return the newest stop that has not ended, or None."""
        return next(reversed(self.stops.values()), None)

    def on_frames(self, thread_id: int, frames: Sequence[FrameId]) -> None:
        """Record a thread's frames that the client received, innermost first."""
        self.frames.update((frame.id, thread_id) for frame in frames)
        stop = self.stops.get(thread_id)
        if stop is not None and stop.reason == "exception" and not self.failing_files:
            self.failing_files = tuple(dict.fromkeys(frame.path for frame in frames if frame.path))

    def bump(self) -> None:
        """Raise the epoch, so that no value read before counts as current."""
        self.epoch += 1
        self.hit.clear()
        self.frames.clear()
        self.failing_files = ()

    def on_resume(self, thread_id: int, *, single_thread: bool) -> dict[int, StoppedBody]:
        """Record a resume before it is forwarded. Return the current stops, which `on_resume_failed` may restore."""
        before = dict(self.stops)
        self._before = before
        self._continued.clear()
        self._release(thread_id, all_threads=not single_thread)
        self.bump()
        return before

    def on_resumed_alone(self, thread_id: int, before: dict[int, StoppedBody]) -> None:
        """Restore other threads' stops after a single thread has resumed. Does nothing if more has happened since.

        `before` maps threads to the stops before that resume.
        """
        if before is self._before and self.phase is Phase.RUNNING:
            self.stops = {thread: stop for thread, stop in before.items() if thread != thread_id} | self.stops

    def on_resume_failed(self, before: dict[int, StoppedBody]) -> None:
        """Restore the stops that a failed resume would have ended."""
        if self.phase is Phase.RUNNING and self.stops.keys() <= before.keys():
            self.stops = before

    def on_start(self, *, is_core: bool = False) -> None:
        """Record that a launch, attach or restart begins."""
        self.phase = Phase.STARTING
        self.is_core = is_core
        self.terminated = False
        self._restarted_from = None
        self.stops.clear()
        self.edits.clear()
        self.bump()

    def on_restart(self) -> None:
        """Record the restart of an ended program, before it is forwarded."""
        if self.phase is Phase.ENDED:
            terminated = self.terminated
            self.on_start()
            self._restarted_from = terminated

    def on_restart_failed(self) -> None:
        """Restore the ended state after the restart of an ended program has failed."""
        if self._restarted_from is not None and self.phase is Phase.STARTING:
            self.phase, self.terminated = Phase.ENDED, self._restarted_from

    def on_started(self) -> None:
        """Record that the program runs: the launch, attach or restart has succeeded, or the adapter sent an event."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.RUNNING

    def on_stopped(self, stop: StoppedBody) -> None:
        """Record the stop in a `stopped` event."""
        self.on_started()
        if not self.stops:
            self.bump()
        if stop.reason == _CALLED:
            stop = self._continued.get(stop.thread_id, stop)
        self.stops.pop(stop.thread_id, None)
        self.stops[stop.thread_id] = stop

    def on_continued(self, body: ContinuedBody) -> None:
        """Record a `continued` event. It changes nothing if the client resumed the program itself."""
        if body.all_threads_continued:
            self._before = {}
        if self.stops:
            self._continued = dict(self.stops)
            self._release(body.thread_id, all_threads=body.all_threads_continued)
            self.bump()

    def on_ended(self) -> None:
        """Record the program's end: `terminated`, `exited`, or the end of the backend."""
        self.phase = Phase.ENDED
        self.stops.clear()
        self.bump()

    def _release(self, thread_id: int, *, all_threads: bool) -> None:
        if all_threads or thread_id not in self.stops:
            self.stops.clear()
        else:
            del self.stops[thread_id]

"""The debuggee's state: its phase, the stopped threads, and the stop epoch.

The epoch rises whenever values read before may be stale: on a client's resume (before it is forwarded), on `continued`,
and when the running program stops. A `stopped` while stopped only adds a thread. A failed resume restores the stop but
not the epoch: reading again is cheap, a wrong value is not.

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
"""Requests that may move the program to another place."""


_CALLED = "function call"
"""gdb's stop reason after a watch called a function: the program has not moved, but every frame id is new."""


class Phase(Enum):
    """Phase of a debuggee's life."""

    CREATED = "created"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class DebuggeeState:
    """The debuggee's state. `stops` maps each stopped thread to its `stopped` body, in the order of the stops."""

    def __init__(self) -> None:
        self.phase = Phase.CREATED
        self.epoch = 0
        self.is_core = False
        """Whether the debuggee is a core file, which is always stopped."""
        self.stops: dict[int, StoppedBody] = {}
        self.terminated = False
        """Whether the client got `terminated` since the debuggee was last started."""
        self._continued: dict[int, StoppedBody] = {}
        """The stops ended by the last `continued`."""
        self._before: dict[int, StoppedBody] = {}
        """The stops that the last resume may have ended."""
        self._restarted_from: bool | None = None
        """`terminated` before a restart of an ended debuggee that is not answered yet; None if none is pending."""
        self.edits: list[ValueEdit] = []
        """Values set in the debugger since the debuggee started, oldest first (value_edits.py)."""
        self.hit: list[WatchedData] = []
        """Variables whose data breakpoints stopped the program; with several, at least one of them did."""
        self.paths = PathMappings()
        self.frames: dict[int, int] = {}
        """Frame ids that the client received in this epoch, with their threads."""
        self.failing_files: tuple[str, ...] = ()
        """Files of an exception's frames, innermost first, once the client received them in this epoch."""

    @property
    def stopped(self) -> bool:
        """Whether any thread is stopped."""
        return bool(self.stops)

    def thread_stopped(self, thread_id: int) -> bool:
        """Whether this thread is stopped, by itself or with all threads."""
        return thread_id in self.stops or any(stop.all_threads_stopped for stop in self.stops.values())

    def last_stop(self) -> StoppedBody | None:
        """Return the newest stop that still holds, or None."""
        return next(reversed(self.stops.values()), None)

    def on_frames(self, thread_id: int, frames: Sequence[FrameId]) -> None:
        """Record the frames of a thread that the client received, innermost first."""
        self.frames.update((frame.id, thread_id) for frame in frames)
        stop = self.stops.get(thread_id)
        if stop is not None and stop.reason == "exception" and not self.failing_files:
            self.failing_files = tuple(dict.fromkeys(frame.path for frame in frames if frame.path))

    def bump(self) -> None:
        """Raise the epoch: nothing read so far is current."""
        self.epoch += 1
        self.hit.clear()
        self.frames.clear()
        self.failing_files = ()

    def on_resume(self, thread_id: int, *, single_thread: bool) -> dict[int, StoppedBody]:
        """Record a resume before it is forwarded; return the stops that it may end, for `on_resume_failed`."""
        before = dict(self.stops)
        self._before = before
        self._continued.clear()
        self._release(thread_id, all_threads=not single_thread)
        self.bump()
        return before

    def on_resumed_alone(self, thread_id: int, before: dict[int, StoppedBody]) -> None:
        """Restore other threads' stops after a resume of one thread only, unless more has happened since.

        `before`: the stops before that resume.
        """
        if before is self._before and self.phase is Phase.RUNNING:
            self.stops = {thread: stop for thread, stop in before.items() if thread != thread_id} | self.stops

    def on_resume_failed(self, before: dict[int, StoppedBody]) -> None:
        """Restore the stops after a failed resume."""
        if self.phase is Phase.RUNNING and self.stops.keys() <= before.keys():
            self.stops = before

    def on_start(self, *, is_core: bool = False) -> None:
        """Record a launch, attach or restart."""
        self.phase = Phase.STARTING
        self.is_core = is_core
        self.terminated = False
        self._restarted_from = None
        self.stops.clear()
        self.edits.clear()
        self.bump()

    def on_restart(self) -> None:
        """Record a restart before it is forwarded."""
        if self.phase is Phase.ENDED:
            terminated = self.terminated
            self.on_start()
            self._restarted_from = terminated

    def on_restart_failed(self) -> None:
        """Restore the ended state after a failed restart of an ended debuggee."""
        if self._restarted_from is not None and self.phase is Phase.STARTING:
            self.phase, self.terminated = Phase.ENDED, self._restarted_from

    def on_started(self) -> None:
        """Record that the debuggee runs: launch, attach or restart succeeded, or it has sent an event."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.RUNNING
            self._restarted_from = None

    def on_stopped(self, stop: StoppedBody) -> None:
        """Record the event `stopped`."""
        self.on_started()
        if not self.stops:
            self.bump()
        if stop.reason == _CALLED:
            stop = self._continued.get(stop.thread_id, stop)
        self.stops.pop(stop.thread_id, None)
        self.stops[stop.thread_id] = stop

    def on_continued(self, body: ContinuedBody) -> None:
        """Record the event `continued`; it changes nothing if the client resumed the program."""
        if body.all_threads_continued:
            self._before = {}
        if self.stops:
            self._continued = dict(self.stops)
            self._release(body.thread_id, all_threads=body.all_threads_continued)
            self.bump()

    def on_ended(self) -> None:
        """Record the debuggee's end: `terminated`, `exited`, or the end of the backend."""
        self.phase = Phase.ENDED
        self.stops.clear()
        self.bump()

    def _release(self, thread_id: int, *, all_threads: bool) -> None:
        if all_threads or thread_id not in self.stops:
            self.stops.clear()
        else:
            del self.stops[thread_id]

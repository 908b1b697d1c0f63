"""Where the debuggee is: its phase, which threads are stopped, and the stop epoch.

The epoch rises whenever what was read before may no longer hold: on a client's resume (before it is forwarded), on
`continued`, and when the program, running, stops. A `stopped` while stopped only adds a thread. A resume that failed
restores the stop but not the epoch: reading again is cheap, a wrong value is not.

    phase      created -> starting -> running -> ended;  restart: ended or running -> starting
    starting   launch or attach was sent; a stop in this phase makes it running
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
"""Requests after which the program may be somewhere else."""


_CALLED = "function call"
"""gdb's reason once a watch has called a function: the program stands where it stood, but every frame id is new."""


class Phase(Enum):
    """A debuggee's life."""

    CREATED = "created"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class DebuggeeState:
    """What is known of the debuggee. `stops` maps a stopped thread to why, in the order in which they stopped."""

    def __init__(self) -> None:
        self.phase = Phase.CREATED
        self.epoch = 0
        self.is_core = False
        """The debuggee is a core file: always stopped."""
        self.stops: dict[int, StoppedBody] = {}
        self.terminated = False
        """The client has been told `terminated`, since the debuggee was started last."""
        self._continued: dict[int, StoppedBody] = {}
        """The stops that the last `continued` ended."""
        self._before: dict[int, StoppedBody] = {}
        """The stops that the last resume may have ended."""
        self._restarted_from: bool | None = None
        """`terminated`, as it was before the restart of an ended debuggee that nothing has answered yet."""
        self.edits: list[ValueEdit] = []
        """Values set in the debugger since the debuggee started, oldest first (value_edits.py)."""
        self.hit: list[WatchedData] = []
        """The variables whose data breakpoints stopped the program; if several may have, one of them did."""
        self.paths = PathMappings()
        self.frames: dict[int, int] = {}
        """Frame ids that the client has seen in this epoch, with their threads."""
        self.failing_files: tuple[str, ...] = ()
        """Of the frames of an exception, innermost first, once the client has seen them in this epoch."""

    @property
    def stopped(self) -> bool:
        """Whether any thread is stopped."""
        return bool(self.stops)

    def thread_stopped(self, thread_id: int) -> bool:
        """Whether this thread is stopped: itself, or because all are."""
        return thread_id in self.stops or any(stop.all_threads_stopped for stop in self.stops.values())

    def last_stop(self) -> StoppedBody | None:
        """The newest stop that still holds."""
        return next(reversed(self.stops.values()), None)

    def on_frames(self, thread_id: int, frames: Sequence[FrameId]) -> None:
        """The client has seen these frames of a thread, innermost first."""
        self.frames.update((frame.id, thread_id) for frame in frames)
        stop = self.stops.get(thread_id)
        if stop is not None and stop.reason == "exception" and not self.failing_files:
            self.failing_files = tuple(dict.fromkeys(frame.path for frame in frames if frame.path))

    def bump(self) -> None:
        """Nothing read so far is current any more."""
        self.epoch += 1
        self.hit.clear()
        self.frames.clear()
        self.failing_files = ()

    def on_resume(self, thread_id: int, *, single_thread: bool) -> dict[int, StoppedBody]:
        """A resume is about to be forwarded; returns the stops that it may have ended, for `on_resume_failed`."""
        before = dict(self.stops)
        self._before = before
        self._continued.clear()
        self._release(thread_id, all_threads=not single_thread)
        self.bump()
        return before

    def on_resumed_alone(self, thread_id: int, before: dict[int, StoppedBody]) -> None:
        """The resume before which `before` held was of this thread only, unless more has happened since."""
        if before is self._before and self.phase is Phase.RUNNING:
            self.stops = {thread: stop for thread, stop in before.items() if thread != thread_id} | self.stops

    def on_resume_failed(self, before: dict[int, StoppedBody]) -> None:
        """The program has not moved."""
        if self.phase is Phase.RUNNING and self.stops.keys() <= before.keys():
            self.stops = before

    def on_start(self, *, is_core: bool = False) -> None:
        """Launch, attach or restart."""
        self.phase = Phase.STARTING
        self.is_core = is_core
        self.terminated = False
        self._restarted_from = None
        self.stops.clear()
        self.edits.clear()
        self.bump()

    def on_restart(self) -> None:
        """A restart is about to be forwarded."""
        if self.phase is Phase.ENDED:
            terminated = self.terminated
            self.on_start()
            self._restarted_from = terminated

    def on_restart_failed(self) -> None:
        """A debuggee that had ended has not begun anew."""
        if self._restarted_from is not None and self.phase is Phase.STARTING:
            self.phase, self.terminated = Phase.ENDED, self._restarted_from

    def on_started(self) -> None:
        """The debuggee runs (launch, attach or restart has succeeded, or it has said something)."""
        if self.phase is Phase.STARTING:
            self.phase = Phase.RUNNING
            self._restarted_from = None

    def on_stopped(self, stop: StoppedBody) -> None:
        """The event `stopped`."""
        self.on_started()
        if not self.stops:
            self.bump()
        if stop.reason == _CALLED:
            stop = self._continued.get(stop.thread_id, stop)
        self.stops.pop(stop.thread_id, None)
        self.stops[stop.thread_id] = stop

    def on_continued(self, body: ContinuedBody) -> None:
        """The event `continued`; it says nothing new if the resume was the client's."""
        if body.all_threads_continued:
            self._before = {}
        if self.stops:
            self._continued = dict(self.stops)
            self._release(body.thread_id, all_threads=body.all_threads_continued)
            self.bump()

    def on_ended(self) -> None:
        """`terminated`, `exited`, or the end of the backend."""
        self.phase = Phase.ENDED
        self.stops.clear()
        self.bump()

    def _release(self, thread_id: int, *, all_threads: bool) -> None:
        if all_threads or thread_id not in self.stops:
            self.stops.clear()
        else:
            del self.stops[thread_id]

"""The targets of a run: a program to start, a running program, a core file, an editor's session.

The loop (`ask_run.py`) asks its target for whatever differs between targets; each kind of debuggee provides its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dap_ai.commands.display.display import Display
from dap_ai.commands.display.masked_display import MaskedDisplay
from dap_ai.commands.running import chat_input
from dap_ai.commands.running.controlling_terminal import ControllingTerminal
from dap_ai.commands.running.outcome import AskOutcome, RunOptions
from dap_ai.commands.running.run_controls import Controls, Events
from dap_ai.protocol.contracts.backend import Backend
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import ConnectionClosed, DapClient

Handle = Callable[[str, dict[str, Any]], Awaitable[bool]]
"""Handles an event that arrives while waiting for another; returns False if the run is over."""


class TargetJob:
    """The program's process and the terminal that it may share with us; as it is, for programs we do not start."""

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer the reverse request `runInTerminal`. Raises RequestFailed."""
        del arguments
        raise RequestFailed("runInTerminal", "refused", "nothing is to be started here")

    def started(self, debuggee: int) -> None:
        """Called when the debuggee runs as process `debuggee`; 0: its process id is unknown."""

    def start_has_failed(self) -> bool:
        """Return whether there is no debuggee although there was time to start one."""
        return False

    def paused(self) -> None:
        """Called when the debugger has stopped the program: take the terminal."""

    def going_on(self) -> None:
        """Called when the debugger is about to continue the program: give the terminal back to it."""

    def continued_by_shell(self) -> None:
        """Called after the user typed `fg` or `bg` in the shell."""

    def send(self, signal_number: int) -> None:
        """Send a signal to the program."""

    async def wait(self, timeout_s: float) -> bool:
        """Return whether the program ends within `timeout_s` seconds; True if we did not start it."""
        del timeout_s
        return True

    def kill(self) -> None:
        """Kill the program, if it still runs."""

    async def ended(self) -> int | None:
        """Return the exit code after the program's last output; None: it never ran, or we did not start it."""
        return None

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """Return an exit code as a shell reports it, and a description."""
        return exit_code, f"the program ended with exit code {exit_code}"


@dataclass(frozen=True)
class Out:
    """What a target needs to be made, besides what the command line names."""

    display: MaskedDisplay
    terminal: ControllingTerminal
    for_programs: bool
    """Whether a program reads our output, which then includes the debuggee's own output."""
    verbose: bool
    terminal_setup: tuple[str, dict[str, Any]] | None = None
    """A request and its arguments to send for a program that shares our terminal; None: not needed."""


@dataclass(frozen=True)
class TargetSession:
    """The objects of one run that a target works with."""

    client: DapClient
    controls: Controls
    display: Display
    events: Events
    wishes: RunOptions
    outcome: AskOutcome
    handle: Handle


class Target:
    """A target with default behaviour; subclasses override what differs."""

    job = TargetJob()
    ours = False
    """Whether we started the program: it ends with the run, and continues after the answer."""
    connect = ""
    """The address of a held process to connect to; empty: start an adapter."""
    backend: Backend | None = None
    """The backend to use instead of the configured one."""
    acts = True
    """Whether an answer may act on the program, with the user's consent."""
    begins_stopped = True
    """Whether the first stop occurs by itself, so that a prompt waits for it."""
    asks = "Why did it stop here?"
    """The question to record when the user enters none."""
    help = chat_input.HELP
    unmoved = ""
    """Why the user cannot step or continue the program; empty: they can."""
    on_cancel = "cancelling; press Ctrl-C again to end the program"
    on_silence = "the debug adapter hangs"

    def prepare(self, session: TargetSession) -> None:
        """Called before the first request: add stops that the user did not request."""

    async def start(self, session: TargetSession) -> None:
        """Start the target and return when the program can stop.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        raise NotImplementedError

    async def started(self, session: TargetSession) -> None:
        """Cause the first stop, if it does not occur by itself."""

    async def not_stopped(self, session: TargetSession) -> None:
        """Called at the event `notStopped`, which a target may send itself, if there was no stop; the run then ends."""

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return an event's body for the loop; None: ignore the event."""
        del session, name
        return body

    async def stopped(self, session: TargetSession, body: dict[str, Any], *, running: bool) -> dict[str, Any] | None:
        """Return the body of `stopped` to show; None: the program has continued from there.

        `running`: whether the program was running until this stop.
        """
        del session, running
        return body

    def moves_on(self) -> bool:
        """Return whether the next question is about a stop that occurs during a question or at the prompt."""
        return False

    async def introduce(self, session: TargetSession, thread_id: int) -> None:
        """Show more about a stop that was just shown."""

    async def frame_of(self, session: TargetSession, thread_id: int) -> int | None:
        """Return the frameId that a question is about; None: the innermost frame."""
        del session, thread_id
        return None

    async def let_go(self, session: TargetSession) -> bool:
        """Remove all stops after the last answer; return False if the program continues without us."""
        await session.controls.clear_stops()
        return self.ours

    async def before_going_on(self, session: TargetSession) -> None:
        """Called when the program is about to continue."""

    def statement(self, text: str) -> str:
        """Return the expression for `evaluate` (`repl`) that runs a statement in the program; empty: not possible."""
        del text
        return ""

    def console(self, text: str) -> str:
        """Return the expression for `evaluate` that runs a command of the debugger's own language; empty: no such."""
        del text
        return ""

    def first_line(self, name: str, source: Sequence[str]) -> int:
        """Return the 1-based line at which function `name` starts in `source`; 0: the debugger finds it by name."""
        del name, source
        return 0

    def closed(self, session: TargetSession, *, unanswered: bool) -> None:
        """Called when the connection has closed. Raises ConnectionClosed if that is an error."""
        del session, unanswered
        raise ConnectionClosed("the debug session has ended by itself")

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Return a line for a user who expected a stop. `status`: the program's exit status as a shell reports it."""
        del status, exceptions
        return ""

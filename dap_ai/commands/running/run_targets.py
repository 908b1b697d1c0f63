"""The targets that a run debugs: a program to start, a running program, a core file, an editor's session.

The loop (`ask_run.py`) asks its target for whatever differs between targets; each kind of debuggee provides its own
targets.
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
"""A function that handles an event that arrives while waiting for another; it returns False if the run is over."""


class TargetJob:
    """The program's process, and the terminal that it may share with us.

    The default is for programs that we do not start.
    """

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer the reverse request `runInTerminal`, with which an adapter asks us to start a program.

        Raises RequestFailed.
        """
        del arguments
        raise RequestFailed("runInTerminal", "refused", "nothing is to be started here")

    def started(self, debuggee: int) -> None:
        """Note that the debuggee runs as process `debuggee` (0 if its id is unknown)."""

    def start_has_failed(self) -> bool:
        """Return whether no debuggee has started although there was time."""
        return False

    def paused(self) -> None:
        """Take the terminal, because the debugger has stopped the program."""

    def going_on(self) -> None:
        """Give the terminal to the program, because the debugger is about to continue it."""

    def continued_by_shell(self) -> None:
        """Give the terminal to a running program after the user typed `fg` or `bg` in the shell."""

    def send(self, signal_number: int) -> None:
        """Send a signal to the program."""

    async def wait(self, timeout_s: float) -> bool:
        """Return whether the program ends within `timeout_s` seconds; True if we did not start it."""
        del timeout_s
        return True

    def kill(self) -> None:
        """Kill the program if it still runs."""

    async def ended(self) -> int | None:
        """Return the program's exit code, once its last output has arrived.

        None if the program never ran, or we did not start it.
        """
        return None

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """Return an exit code as a shell reports it, and a sentence that describes it."""
        return exit_code, f"the program ended with exit code {exit_code}"


@dataclass(frozen=True)
class Out:
    """The output and the options that a target needs, besides what the command line names."""

    display: MaskedDisplay
    terminal: ControllingTerminal
    for_programs: bool
    """Whether a program reads our output, so that the output includes the debuggee's own output."""
    verbose: bool
    terminal_setup: tuple[str, dict[str, Any]] | None = None
    """A request (command, arguments) to send for a program that shares our terminal; None if not needed."""


@dataclass(frozen=True)
class TargetSession:
    """The objects of one run that a target uses."""

    client: DapClient
    controls: Controls
    display: Display
    events: Events
    wishes: RunOptions
    outcome: AskOutcome
    handle: Handle


class Target:
    """What a run debugs, with default behaviour; subclasses override what differs."""

    job = TargetJob()
    ours = False
    """Whether we started the program, so that it continues after the answer and ends with the run."""
    connect = ""
    """The address of a held process to connect to; empty if an adapter is to be started."""
    backend: Backend | None = None
    """The backend to use instead of the configured backend, or None."""
    acts = True
    """Whether an answer may act on the program, with the user's consent."""
    begins_stopped = True
    """Whether the first stop occurs by itself, so that a prompt can wait for it."""
    asks = "Why did it stop here?"
    """The question to record when the user enters no question."""
    help = chat_input.HELP
    unmoved = ""
    """The reason why the user cannot step or continue the program; empty if they can."""
    on_cancel = "cancelling; press Ctrl-C again to end the program"
    on_silence = "the debug adapter hangs"

    def prepare(self, session: TargetSession) -> None:
        """Add stops that the user did not request; called before the first request."""

    async def start(self, session: TargetSession) -> None:
        """Start the target, and return when the program can stop.

        Raises RequestFailed, ConnectionClosed, TimeoutError.
        """
        raise NotImplementedError

    async def started(self, session: TargetSession) -> None:
        """Cause the first stop if it does not occur by itself."""

    async def not_stopped(self, session: TargetSession) -> None:
        """Report that there was no stop; the run then ends.

        Called at the event `notStopped`, which a target may send itself.
        """

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the body of an event for the run to handle; None if the run must ignore the event."""
        del session, name
        return body

    async def stopped(self, session: TargetSession, body: dict[str, Any], *, running: bool) -> dict[str, Any] | None:
        """Return the body of the event `stopped` to show; None if the program has been continued.

        `running`: whether the program was running until this stop.
        """
        del session, running
        return body

    def moves_on(self) -> bool:
        """Return whether the program may move during a question, so that the next question is about the new stop."""
        return False

    async def introduce(self, session: TargetSession, thread_id: int) -> None:
        """Show more about a stop that has just been shown."""

    async def frame_of(self, session: TargetSession, thread_id: int) -> int | None:
        """Return the frameId that a question is about; None means the innermost frame."""
        del session, thread_id
        return None

    async def let_go(self, session: TargetSession) -> bool:
        """Remove all stops after the last answer; return whether we still have to continue the program."""
        await session.controls.clear_stops()
        return self.ours

    async def before_going_on(self, session: TargetSession) -> None:
        """Prepare for the program to continue; the default does nothing."""

    def statement(self, text: str) -> str:
        """Return an expression that runs a statement in the program, for `evaluate` in the context `repl`.

        Returns an empty string if that is not possible.
        """
        del text
        return ""

    def console(self, text: str) -> str:
        """Return an expression for `evaluate` that runs a command of the debugger's own command line.

        Returns an empty string if the debugger has no command line.
        """
        del text
        return ""

    def first_line(self, name: str, source: Sequence[str]) -> int:
        """Return the 1-based line in `source` at which the function `name` starts.

        Returns 0 if the debugger finds the function by its name.
        """
        del name, source
        return 0

    def closed(self, session: TargetSession, *, unanswered: bool) -> None:
        """Handle the end of the connection. Raises ConnectionClosed if that is an error."""
        del session, unanswered
        raise ConnectionClosed("the debug session has ended by itself")

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Return a line that explains to the user why the program did not stop.

        `status`: the program's exit status as a shell reports it.
        """
        del status, exceptions
        return ""

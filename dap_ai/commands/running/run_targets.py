"""What a run is about: a program that is started, one that runs already, a core file, a session of an editor.

The loop (`ask_run.py`) asks its target for whatever differs between them; a kind of debuggee brings its own.
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
"""Takes an event that comes while something else is waited for; False: the run is over."""


class TargetJob:
    """The program as a process, and the terminal that it may share with us; as it is where we start nothing."""

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answers the reverse request. Raises RequestFailed."""
        del arguments
        raise RequestFailed("runInTerminal", "refused", "nothing is to be started here")

    def started(self, debuggee: int) -> None:
        """The debuggee runs as process `debuggee`; 0: nobody says."""

    def start_has_failed(self) -> bool:
        """Whether there is no debuggee although there was the time to start one."""
        return False

    def paused(self) -> None:
        """The debugger has stopped it: the terminal is ours."""

    def going_on(self) -> None:
        """The debugger is about to let it go on: the terminal is its own again."""

    def continued_by_shell(self) -> None:
        """`fg` or `bg` was typed."""

    def send(self, signal_number: int) -> None:
        """Sends it a signal."""

    async def wait(self, timeout_s: float) -> bool:
        """Whether it ends within that time, as far as that is for us to say."""
        del timeout_s
        return True

    def kill(self) -> None:
        """Ends it, if it is still there."""

    async def ended(self) -> int | None:
        """Its exit code, once the last of its output has come; None: it has never run, or is not ours."""
        return None

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """An exit code as a shell would give it, and in words."""
        return exit_code, f"the program ended with exit code {exit_code}"


@dataclass(frozen=True)
class Out:
    """What a target is made with, besides what the command line names."""

    display: MaskedDisplay
    terminal: ControllingTerminal
    for_programs: bool
    """A program reads what is shown: the debuggee's own output belongs into it, too."""
    verbose: bool
    terminal_setup: tuple[str, dict[str, Any]] | None = None
    """A request, and its arguments, for a program that shares our terminal."""


@dataclass(frozen=True)
class TargetSession:
    """What a target works with."""

    client: DapClient
    controls: Controls
    display: Display
    events: Events
    wishes: RunOptions
    outcome: AskOutcome
    handle: Handle


class Target:
    """As most are: what is not overridden changes nothing."""

    job = TargetJob()
    ours = False
    """The program was started by us: it ends with the run, and goes on after the answer."""
    connect = ""
    """The address of the process that is held; empty: an adapter is started."""
    backend: Backend | None = None
    """What starts the adapter, in place of the backend that is set."""
    acts = True
    """An answer may do something to the program, of which the user is asked."""
    begins_stopped = True
    """A first stop comes by itself, and is waited for at a prompt."""
    asks = "Why did it stop here?"
    """The question of a user who asks none."""
    help = chat_input.HELP
    unmoved = ""
    """Why a user's word does not move the program; empty: it does."""
    on_cancel = "cancelling; press Ctrl-C again to end the program"
    on_silence = "the debug adapter hangs"

    def prepare(self, session: TargetSession) -> None:
        """Before the first request: what stops the program besides what the user wants."""

    async def start(self, session: TargetSession) -> None:
        """Returns when the program can stop. Raises RequestFailed, ConnectionClosed, TimeoutError."""
        raise NotImplementedError

    async def started(self, session: TargetSession) -> None:
        """Sees to the first stop, where none comes by itself."""

    async def not_stopped(self, session: TargetSession) -> None:
        """The event `notStopped` has come, which a target may send itself, and no stop: the run ends."""

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """An event's body as the loop takes it; None: it is of no interest."""
        del session, name
        return body

    async def stopped(self, session: TargetSession, body: dict[str, Any], *, running: bool) -> dict[str, Any] | None:
        """The body of `stopped` as it is shown; None: the program has gone on from there. `running`: till then."""
        del session, running
        return body

    def moves_on(self) -> bool:
        """Whether a stop during a question or at the prompt is what the next question is about."""
        return False

    async def introduce(self, session: TargetSession, thread_id: int) -> None:
        """Says more of a stop that was just shown."""

    async def frame_of(self, session: TargetSession, thread_id: int) -> int | None:
        """The frameId that a question is about; None: the innermost."""
        del session, thread_id
        return None

    async def let_go(self, session: TargetSession) -> bool:
        """After the last answer nothing stops the program any more; False: it goes on without us."""
        await session.controls.clear_stops()
        return self.ours

    async def before_going_on(self, session: TargetSession) -> None:
        """The program is about to go on."""

    def statement(self, text: str) -> str:
        """What `evaluate` (`repl`) is given to run a statement in the program; empty: it cannot be changed."""
        del text
        return ""

    def console(self, text: str) -> str:
        """The same for a command in the debugger's own language; empty: it has none."""
        del text
        return ""

    def first_line(self, name: str, source: Sequence[str]) -> int:
        """The line of this source file at which function `name` begins to run; 0: the debugger finds it by its name."""
        del name, source
        return 0

    def closed(self, session: TargetSession, *, unanswered: bool) -> None:
        """The connection has ended. Raises ConnectionClosed where that is an error."""
        del session, unanswered
        raise ConnectionClosed("the debug session has ended by itself")

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """The line for who expected a stop. `status` is the program's, as a shell gives it."""
        del status, exceptions
        return ""

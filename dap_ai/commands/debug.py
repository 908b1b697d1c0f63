"""The command `dap-ai debug`: an interactive debugger at a prompt."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import msgspec

from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.debugging.debug_prompt import DebugPrompt
from dap_ai.commands.debugging.line_sources import Complete, Lines, PlainLines
from dap_ai.commands.debugging.live_program import LiveProgram
from dap_ai.commands.debugging.screen import DebugDisplay, Screen, SharedTerminal
from dap_ai.commands.display.masked_display import MaskedDisplay
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.options.ask_options import some_options
from dap_ai.commands.options.command_line import BreakpointOption, SplitCommand, misplaced_options
from dap_ai.commands.running.joinable_sessions import NothingStopped, choose, join, look_at_all
from dap_ai.commands.running.joined import Joined, lowered
from dap_ai.commands.running.outcome import BACKEND_FAILED, NO_STOP, RunOptions
from dap_ai.commands.running.post_mortem_address import post_mortem_address
from dap_ai.commands.running.run_targets import Out
from dap_ai.commands.target_kinds import KindPort, TargetRequest, backend_for, kind_of
from dap_ai.commands.wiring import backend_of, client_of
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings.configuration import Resolved
from dap_ai.system import extras, thread_pool
from dap_ai.transport.client import ConnectionClosed

_HELP = """A debugger with one prompt, for Python, C, C++, Rust, core files, recorded runs of agents.

PROGRAM is what `dap-ai ask` takes. It is held at its first line. A line that you type is a command, in pdb's or gdb's
spelling; a name or an expression, which is printed; or a question in plain words. `help` at the prompt lists all.

\b
Examples:
  dap-ai debug report.py data.csv
  dap-ai debug ./parser bad.txt
  dap-ai debug crash.c
  dap-ai debug --core core.4711 ./parser
  dap-ai debug --run trial.traj.json       (a recorded run: `back` steps back)
  dap-ai debug --pid 4711
  dap-ai debug --kernel                    (a notebook's: its last error, or where the next cell stops)
  dap-ai debug --join                      (beside an editor, which alone moves the program)
  dap-ai debug -c "b total" -c run -c bt -c q shop.py

Looking changes nothing: `p f(x)` calls in a copy of the program, `!f(x)` in the program itself. Ctrl-C pauses the
program. The lines of ~/.dap-airc come first.
"""
_EDITOR = "dap_ai.commands.debugging.line_editor"
_RC = ".dap-airc"
_MAX_RC_BYTES = 100_000
_COMMON = (
    "-b", "--exception", "-m", "--pid", "--core", "--run", "--join", "--post-mortem", "--kernel", "--cwd", "--env",
    "--python", "--sanitize", "--backend", "--provider", "--model", "--base-url", "--level", "--verbose", "--log",
    "--help",
)  # fmt: skip


@click.command(cls=SplitCommand, help=_HELP, options_metavar="[OPTIONS]")
@click.option("-c", "-ex", "commands", multiple=True, metavar="COMMAND", help="A line to begin with. Repeatable.")
@click.option("-x", "script", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Begin with the lines of a file.")  # fmt: skip
@click.option("-nx", "--no-rc", is_flag=True, help=f"Without the lines of ~/{_RC}.")
@some_options(*_COMMON)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="PROGRAM [ARGS]...")
def command(  # noqa: PLR0917  click gives each option by its name
    commands: tuple[str, ...],
    script: Path | None,
    breakpoints: list[BreakpointOption],
    exceptions: tuple[str, ...],
    join: str | None,
    post_mortem: str | None,
    wire_log: Path | None,
    *,
    no_rc: bool,
    verbose: bool,
    **flags: Any,
) -> None:
    """Ends the process with 0, 128 + n for a signal, or the documented codes of a failure."""
    settings = ("backend", "python", "provider", "model", "base_url", "level")
    chosen = {name: flags[name] for name in settings} | {"exceptions": exceptions or None}
    resolved = resolve(chosen)
    wanted = _target_request(flags, join)
    if post_mortem is not None:
        wanted = msgspec.structs.replace(wanted, held=post_mortem_address(post_mortem, resolved.settings.sockets))
    kind = None if join is not None else kind_of(wanted)
    if kind and (backend := backend_for(resolved, kind)):
        resolved = resolve(chosen | {"backend": backend})
    screen = Screen()
    shown = DebugDisplay(resolved.settings, screen, verbose=verbose)
    display = MaskedDisplay(shown, Masker(resolved.settings.mask))
    waits_for = exceptions or (resolved.settings.exceptions if flags["pid"] is None else ())
    wishes = RunOptions(
        "", resolved.settings.level, (), waits_for, chat=True, wire_log=wire_log, verbose=verbose, hold=True
    )
    if kind is None:
        terminal = SharedTerminal(screen)
        begin = partial(_joined, resolved.settings.sockets, join or "", lowered(wishes), display, terminal)
    else:
        begin = _Started(kind, wanted, resolved, wishes, display, screen).open
    begun = [
        *([] if no_rc else _own_lines()),
        *(f"b {b.file}:{b.line}" + (f" if {b.condition}" if b.condition else "") for b in breakpoints),
    ]
    waiting = [*begun, *(script.read_text(encoding="utf-8").splitlines() if script else ()), *commands]
    if os.isatty(0) and sys.stdout.isatty() and not extras.PROMPT.is_installed:
        display.status(f"{extras.PROMPT.install_advice}.")
    for warning in (*misplaced_options(), *resolved.warnings):
        display.status(f"warning: {warning}")
    sys.exit(_debugged(DebugPrompt(begin, display, waiting), display, screen))


def _target_request(flags: dict[str, Any], join: str | None) -> TargetRequest:
    """Return the target that the command line names. Raises UsageError for contradictory options."""
    words, cwd = flags["program"], str((flags["cwd"] or Path.cwd()).absolute())
    if join is not None and words:
        raise click.UsageError("--join goes to an existing session: do not name a PROGRAM with it.")
    if flags["pid"] and (words or flags["module"]):
        raise click.UsageError("--pid attaches to a running program: do not name a PROGRAM with it.")
    if flags["kernel"] is not None and (words or flags["module"] or flags["pid"] or flags["core"] or flags["recorded"]):
        raise click.UsageError("--kernel is about a notebook's kernel: name nothing else to be debugged.")
    if flags["core"] and (flags["pid"] or flags["module"]):
        raise click.UsageError("--core reads a program that has already crashed: it stands alone.")
    named = {name: flags[name] for name in ("env", "module", "pid", "core", "sanitize", "kernel")}
    return TargetRequest(words, cwd, run=flags["recorded"], stays=True, **named)


def _debugged(console: DebugPrompt, display: MaskedDisplay, screen: Screen) -> int:
    """Run the prompt until the user quits and return the exit code of `dap-ai debug`."""
    if _has_editor():  # while the debugger starts
        threading.Thread(target=import_module, args=(_EDITOR,), daemon=True).start()
    try:
        number = thread_pool.run(console.run(lambda complete: _lines(screen, complete)))
        return 128 + number if number else 0
    except NothingStopped as nothing:
        display.status(str(nothing))
        return NO_STOP
    except StartError as error:
        display.error(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (RequestFailed, ConnectionClosed, SessionFailed, OSError, TimeoutError, asyncio.TimeoutError) as error:
        display.error(error.user_text if isinstance(error, RequestFailed) else str(error) or "the debugger hangs")
    finally:
        display.close()
    return BACKEND_FAILED


@dataclass
class _Started:
    """Starts the target that the command line names, or attaches to it, at the beginning and at each `run`."""

    _kind: KindPort
    _wanted: TargetRequest
    _resolved: Resolved
    _wishes: RunOptions
    _display: MaskedDisplay
    _screen: Screen

    async def open(self, arguments: Sequence[str] | None) -> LiveProgram:
        """Compile if necessary, then start the program or attach to it.

        `arguments` replace the program's arguments; None keeps the previous arguments.
        """
        if arguments is not None:
            program = () if self._wanted.module else self._wanted.words[:1]
            self._wanted = msgspec.structs.replace(self._wanted, words=(*program, *arguments))
        look = partial(self._kind.look, self._wanted, self._resolved, self._display.status)
        make = await asyncio.to_thread(look)  # it may compile, or query a Jupyter kernel
        terminal = SharedTerminal(self._screen)
        setup = backend_of(self._resolved.settings).terminal_setup
        verbose = self._wishes.verbose
        target = make(Out(self._display, terminal, for_programs=False, verbose=verbose, terminal_setup=setup))
        client = await client_of(self._resolved, target, self._display.masker, self._wishes.wire_log)
        return await _begun(LiveProgram(client, self._display, target, self._wishes, terminal))


async def _joined(
    sockets: str,
    named: str,
    wishes: RunOptions,
    display: MaskedDisplay,
    terminal: SharedTerminal,
    _arguments: Sequence[str] | None,
) -> LiveProgram:
    """Join a running debug session of an editor. Raises UsageError, NothingStopped, SocketError."""
    client, about = await join(choose(await look_at_all(sockets), named).id, sockets)
    return await _begun(LiveProgram(client, display, Joined(about), wishes, terminal))


async def _begun(live: LiveProgram) -> LiveProgram:
    try:
        await live.start()
    except BaseException:
        await live.close()
        raise
    return live


def _own_lines() -> list[str]:
    """Return the lines of `~/.dap-airc`; empty if the file is missing, too large, or writable by other users."""
    path = Path.home() / _RC
    try:
        about = path.stat()
        is_own = not hasattr(os, "getuid") or (about.st_uid == os.getuid() and not about.st_mode & 0o022)
        if not is_own or about.st_size > _MAX_RC_BYTES:
            return []
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []


def _has_editor() -> bool:
    return os.isatty(0) and sys.stdout.isatty() and sys.platform != "win32" and extras.PROMPT.is_installed


def _lines(screen: Screen, complete: Complete) -> Lines:
    """Return a source of lines: a line editor on a terminal if prompt_toolkit is installed, else a plain reader."""
    if not _has_editor():
        return PlainLines()
    from platformdirs import user_state_path  # noqa: PLC0415  70 ms together with the next import, not needed for a pipe

    from dap_ai.commands.debugging.line_editor import Editor  # noqa: PLC0415  see above

    return Editor(screen, complete, user_state_path("dap-ai") / "debug-history")

"""The command `dap-ai ask`: run a program to its first stop and answer a question about it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Literal

import click
import msgspec

from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.agent.loop.transcript_file import markdown
from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.display import Display, SafeDisplay
from dap_ai.commands.display.json_display import JsonLines
from dap_ai.commands.display.masked_display import MaskedDisplay
from dap_ai.commands.display.settings_table import resolve
from dap_ai.commands.options.ask_command import AskCommand
from dap_ai.commands.options.ask_options import HELP, options
from dap_ai.commands.options.command_line import BreakpointOption, misplaced_options
from dap_ai.commands.running.ask_run import AskRun
from dap_ai.commands.running.controlling_terminal import ControllingTerminal
from dap_ai.commands.running.joinable_sessions import NothingStopped, choose, joined, look_at_all
from dap_ai.commands.running.joined import Joined, check_options, lowered
from dap_ai.commands.running.outcome import BACKEND_FAILED, AskOutcome, RunOptions
from dap_ai.commands.running.post_mortem_address import post_mortem_address
from dap_ai.commands.running.prompt import Prompt
from dap_ai.commands.running.run_targets import Out, Target
from dap_ai.commands.target_kinds import KindPort, Make, TargetRequest, backend_for, kind_of
from dap_ai.commands.wiring import backend_of, client_of
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings.configuration import Resolved, Settings, provider_of
from dap_ai.system import thread_pool
from dap_ai.transport.client import ConnectionClosed, DapClient


@click.command(cls=AskCommand, help=HELP, options_metavar="[OPTIONS]")
@options
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="PROGRAM [ARGS]...")
def command(  # noqa: PLR0917  click gives each option by its name
    question: str,
    breakpoints: list[BreakpointOption],
    exceptions: tuple[str, ...],
    module: str | None,
    pid: int | None,
    core: str | None,
    recorded: str | None,
    against: str | None,
    join: str | None,
    post_mortem: str | None,
    kernel: str | None,
    cwd: Path | None,
    env: dict[str, str],
    python: str | None,
    program: tuple[str, ...],
    then: Literal["continue", "quit"],
    exit_code: str,
    export: Path | None,
    wire_log: Path | None,
    *,
    agent: bool,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    sanitize: tuple[str, ...],
    unsafe: bool | None,
    show_context: bool,
    show_masked: bool,
    each_stop: bool,
    chat: bool,
    verbose: bool,
    brief: bool,
    json_lines: bool,
    **flags: str | None,
) -> None:
    """Ends the process with the documented exit codes. `flags` are the options that are settings."""
    if join is not None:
        check_options(click.get_current_context())
    if unsafe and flags["level"] not in (None, "mutate"):
        raise click.UsageError(f"--unsafe only applies to the level mutate, not to {flags['level']}.")
    if unsafe:
        flags["level"] = "mutate"
    if pid and (program or module):
        raise click.UsageError("--pid attaches to a running program: do not name a PROGRAM with it.")
    _check_core(core, pid, module, breakpoints)
    if recorded and (pid or core or breakpoints):
        raise click.UsageError("--run reads a recorded run: it cannot be combined with --pid, --core or -b.")
    if agent and (recorded or pid or core or breakpoints or module):
        raise click.UsageError("--agent runs an agent: it cannot be combined with --run, --pid, --core, -m or -b.")
    if against and not recorded:
        raise click.UsageError(
            "--against names another run of the same task: name the run that is asked about with --run."
        )
    if brief and (verbose or json_lines):
        raise click.UsageError("--brief shortens what a terminal shows: it cannot be combined with -v or --json.")
    if chat and show_context:
        raise click.UsageError("--show-context asks no question, so it cannot be combined with --chat.")
    if post_mortem is not None and (pid or core or recorded or join or program or module or breakpoints):
        raise click.UsageError("--post-mortem asks about a process that is held: name nothing else to be debugged.")
    if kernel is not None and (pid or core or recorded or join or module or breakpoints or post_mortem is not None):
        raise click.UsageError("--kernel asks about a notebook's kernel: name nothing else to be debugged.")
    lists = {"exceptions": exceptions or None, "allow": allow or None, "deny": deny or None}
    chosen = {**flags, **lists, "python": python, "unsafe": unsafe}
    resolved = resolve(chosen)
    folder = str((cwd or Path.cwd()).absolute())
    wanted = TargetRequest(program, folder, env, module, pid, core, sanitize, recorded, against, agent)
    if kernel is not None:
        question = question or " ".join(program)
        wanted = msgspec.structs.replace(wanted, words=(), kernel=kernel)
    if post_mortem is not None:
        wanted = msgspec.structs.replace(wanted, held=post_mortem_address(post_mortem, resolved.settings.sockets))
    kind = None if join is not None else kind_of(wanted)
    if kind and (backend := backend_for(resolved, kind)):
        resolved = resolve(chosen | {"backend": backend})
    settings = resolved.settings
    if flags["model"] and provider_of(settings, os.environ) == "offline":
        raise click.UsageError("--model needs an endpoint: set OPENAI_API_KEY, or name one with --base-url.")
    _check_export(export)
    # With --pid and no exceptions to wait for, the question is about the current state.
    waits_for = exceptions or (settings.exceptions if pid is None else ())
    shown = JsonLines(sys.stdout.buffer) if json_lines else _terminal_display(settings, verbose=verbose, brief=brief)
    display = MaskedDisplay(shown, Masker(settings.mask))
    wishes = RunOptions(
        question=question,
        level=settings.level,
        breakpoints=breakpoints,
        exceptions=waits_for,
        show_context=show_context,
        show_masked=show_masked,
        then=then,
        each_stop=each_stop,
        chat=chat,
        export=export,
        wire_log=wire_log,
        verbose=verbose,
    )
    make = _looked_at(kind, wanted, resolved, display) if kind else None
    outcome = _ask(wishes, resolved, display, make or join or "", for_programs=json_lines)
    if exit_code == "program" and outcome.program_status is not None:
        sys.exit(outcome.program_status)
    sys.exit(outcome.status())


def _terminal_display(settings: Settings, *, verbose: bool, brief: bool) -> SafeDisplay:
    """Return the terminal display.

    Importing rich takes a fifth of the start-up time, which `--json` saves by not calling this.
    """
    from dap_ai.commands.display.rendering import TerminalDisplay  # noqa: PLC0415  see above

    return TerminalDisplay(settings, verbose=verbose, brief=brief)


def _check_export(file: Path | None) -> None:
    """Raise UsageError if the folder of the export file is missing; called before the program runs."""
    if file and not file.absolute().parent.is_dir():
        raise click.UsageError(f"--export: there is no folder {file.parent}.")


def _check_core(core: str | None, pid: int | None, module: str | None, breakpoints: list[BreakpointOption]) -> None:
    """Raise UsageError if `--core` is combined with options that need a running program."""
    if core and (pid or module):
        raise click.UsageError(
            "--core reads a program that has already crashed: it cannot be combined with --pid or -m."
        )
    if core and breakpoints:
        raise click.UsageError("--core: a core file does not run, so no breakpoint can be reached.")


def _looked_at(kind: KindPort, wanted: TargetRequest, resolved: Resolved, display: Display) -> Make:
    try:
        return kind.look(wanted, resolved, display.status)
    except StartError as error:
        display.error(str(error))
        sys.exit(BACKEND_FAILED)


def _ask(
    wishes: RunOptions, resolved: Resolved, display: MaskedDisplay, about: Make | str, *, for_programs: bool
) -> AskOutcome:
    """Run one `ask` and return its outcome; exit the process if the debugger fails.

    `about` is a function that makes the target to debug, or the id of the session to join (empty: the only session).
    """
    for warning in (*misplaced_options(), *resolved.warnings):
        display.status(f"warning: {warning}")
    terminal = ControllingTerminal()
    outcome = AskOutcome(failed=True)
    setup = backend_of(resolved.settings).terminal_setup
    out = Out(display, terminal, for_programs, wishes.verbose, setup)
    try:
        if isinstance(about, str):
            work = _join(lowered(wishes), resolved, out, about)
        else:
            work = _run(wishes, resolved, out, about(out))
        outcome = thread_pool.run(work)
    except NothingStopped as nothing:
        display.status(str(nothing))
        outcome = AskOutcome()
    except (RequestFailed, ConnectionClosed, SessionFailed, OSError, TimeoutError, asyncio.TimeoutError) as error:
        if isinstance(error, BrokenPipeError):
            _discard_stdout()
        else:
            display.error(error.user_text if isinstance(error, RequestFailed) else str(error) or "the debugger hangs")
            sys.exit(BACKEND_FAILED)
    finally:
        display.close()
        terminal.close(restore=outcome.killed)
    return outcome


async def _run(wishes: RunOptions, resolved: Resolved, out: Out, target: Target) -> AskOutcome:
    client = await client_of(resolved, target, out.display.masker, wishes.wire_log)
    try:
        return await _asked(client, wishes, out, target)
    finally:
        await client.close()


async def _join(wishes: RunOptions, resolved: Resolved, out: Out, wanted: str) -> AskOutcome:
    """Ask a question in a running debug session of an editor. Raises UsageError, NothingStopped, SocketError."""
    sockets = resolved.settings.sockets
    async with joined(choose(await look_at_all(sockets), wanted).id, sockets) as (client, about):
        return await _asked(client, wishes, out, Joined(about))


async def _asked(client: DapClient, wishes: RunOptions, out: Out, target: Target) -> AskOutcome:
    editing = wishes.chat and not out.for_programs
    run = AskRun(
        client, out.display, target, wishes, Prompt(editing=editing, asks=target.acts and not out.for_programs)
    )
    try:
        return await run.run()
    finally:
        if wishes.export:
            out.display.write(wishes.export, markdown(run.exchanges))


def _discard_stdout() -> None:
    """Redirect stdout to the null device, so that Python does not report a broken pipe when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

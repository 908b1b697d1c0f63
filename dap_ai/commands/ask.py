"""`dap-ai ask`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Literal

import click

from dap_ai import threads
from dap_ai.adapter.io.failing import SessionFailed
from dap_ai.agent.mask import Masker
from dap_ai.agent.transcript import markdown, write_private
from dap_ai.backends import StartError
from dap_ai.client import ConnectionClosed
from dap_ai.commands.running.guests import NothingStopped
from dap_ai.commands.running.job import Job
from dap_ai.commands.running.join import ask_as_guest, check_options
from dap_ai.commands.running.native_job import NativeJob
from dap_ai.commands.running.native_run import NativeRun
from dap_ai.commands.running.outcome import BACKEND_FAILED, Outcome, Wishes
from dap_ai.commands.running.prompt import Prompt
from dap_ai.commands.running.run import Run
from dap_ai.commands.running.terminal import Terminal
from dap_ai.commands.shown.display import Display
from dap_ai.commands.shown.json_lines import JsonLines
from dap_ai.commands.shown.masking import MaskedDisplay
from dap_ai.commands.shown.table import resolve
from dap_ai.commands.wanted.arguments import Breakpoint
from dap_ai.commands.wanted.ask_command import AskCommand
from dap_ai.commands.wanted.ask_options import HELP, options
from dap_ai.commands.wanted.native_program import Adapter, NativeProgram, find_core
from dap_ai.commands.wanted.program import Program, find_program
from dap_ai.commands.wanted.subject import adapter_of, backend_for, is_native, panics, prepared
from dap_ai.commands.wiring import backend_of, open_wire_log, proxy_of
from dap_ai.config import Resolved, Settings, provider_of
from dap_ai.protocol.errors import RequestFailed


@click.command(cls=AskCommand, help=HELP, options_metavar="[OPTIONS]")
@options
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="PROGRAM [ARGS]...")
def command(  # noqa: PLR0917  click gives each option by its name
    question: str,
    breakpoints: list[Breakpoint],
    exceptions: tuple[str, ...],
    module: str | None,
    pid: int | None,
    core: str | None,
    join: str | None,
    cwd: Path | None,
    env: dict[str, str],
    python: str | None,
    program: tuple[str, ...],
    then: Literal["continue", "quit"],
    exit_code: str,
    export: Path | None,
    wire_log: Path | None,
    *,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    sanitize: tuple[str, ...],
    unsafe: bool | None,
    show_context: bool,
    show_masked: bool,
    each_stop: bool,
    chat: bool,
    verbose: bool,
    json_lines: bool,
    **flags: str | None,
) -> None:
    """Ends the process with the documented exit codes. `flags` are the options that are settings."""
    if join is not None:
        check_options(click.get_current_context())
    if unsafe and flags["level"] not in (None, "mutate"):
        raise click.UsageError(f"--unsafe says something of the level mutate, not of {flags['level']}.")
    if unsafe:
        flags["level"] = "mutate"
    if pid and (program or module):
        raise click.UsageError("--pid attaches to a program that runs already: name no PROGRAM with it.")
    _check_core(core, pid, module, breakpoints)
    if chat and show_context:
        raise click.UsageError("--show-context asks nothing, so there is nothing to --chat about.")
    lists = {"exceptions": exceptions or None, "allow": allow or None, "deny": deny or None}
    chosen = {**flags, **lists, "python": python, "unsafe": unsafe}
    resolved = resolve(chosen)
    native = join is None and is_native(program, module, pid, core)
    if join is None and (backend := backend_for(resolved, native=native)):
        resolved = resolve(chosen | {"backend": backend})
    settings = resolved.settings
    if flags["model"] and provider_of(settings, os.environ) == "offline":
        raise click.UsageError("--model: whose? Set OPENAI_API_KEY, or name an endpoint with --base-url.")
    _check_export(export)
    # With --pid and nothing to wait for, the question is about now.
    waits_for = exceptions or (settings.exceptions if pid is None else ())
    display = JsonLines(sys.stdout.buffer) if json_lines else _terminal_display(settings, verbose=verbose)
    adapter = adapter_of(settings.backend) if native else None
    found: Program | NativeProgram | None = None
    if pid is None and core is None and join is None:
        folder = str((cwd or Path.cwd()).absolute())
        if adapter:
            found = _native(program, folder, env, adapter, sanitize, display)
        else:
            found = _program(program, module, folder, env, resolved)
    if sanitize and not native:
        raise click.UsageError("--sanitize is for source files of C and C++.")
    wishes = Wishes(
        program=found,
        pid=pid,
        question=question,
        level=settings.level,
        breakpoints=breakpoints,
        exceptions=waits_for,
        just_my_code=settings.just_my_code,
        show_context=show_context,
        show_masked=show_masked,
        then=then,
        each_stop=each_stop,
        chat=chat,
        export=export,
        wire_log=wire_log,
        core=find_core(core, program) if core else None,
        native=adapter,
        stops_at_panics=panics(found, pid) if native else False,
        verbose=verbose,
    )
    outcome = _ask(wishes, resolved, display, join)
    if exit_code == "program" and outcome.program_status is not None:
        sys.exit(outcome.program_status)
    sys.exit(outcome.status())


def _terminal_display(settings: Settings, *, verbose: bool) -> Display:
    """Imported here: rich takes a fifth of a start, and a reader of JSON needs nothing of it."""
    from dap_ai.commands.shown.rendering import TerminalDisplay  # noqa: PLC0415  see above

    return TerminalDisplay(settings, verbose=verbose)


def _check_export(file: Path | None) -> None:
    """Raises UsageError before the program runs, not after."""
    if file and not file.absolute().parent.is_dir():
        raise click.UsageError(f"--export: there is no folder {file.parent}.")


def _check_core(core: str | None, pid: int | None, module: str | None, breakpoints: list[Breakpoint]) -> None:
    """Raises UsageError: a core file never runs."""
    if core and (pid or module):
        raise click.UsageError("--core looks into what has crashed already: no --pid and no -m with it.")
    if core and breakpoints:
        raise click.UsageError("--core: a core file never runs, so no breakpoint is ever reached.")


def _native(  # noqa: PLR0917  what prepared is given
    words: tuple[str, ...], cwd: str, env: dict[str, str], adapter: Adapter, sanitize: tuple[str, ...], display: Display
) -> NativeProgram:
    try:
        return prepared(words, cwd, env, adapter, sanitize=sanitize, tell=display.status)
    except StartError as error:
        display.error(str(error))
        sys.exit(BACKEND_FAILED)


def _program(
    words: tuple[str, ...], module: str | None, folder: str, env: dict[str, str], resolved: Resolved
) -> Program:
    if not module and not words:
        raise click.UsageError(
            "which PROGRAM? Name a Python file, a native program or its source, or -m MODULE, --pid N, --core FILE."
        )
    path = "" if module else find_program(words[0])
    python = resolved.settings.python or backend_of(resolved.settings).default_python(folder)
    return Program(python, path, module or "", words if module else words[1:], folder, env)


def _ask(wishes: Wishes, resolved: Resolved, shown: Display, join: str | None) -> Outcome:
    masker = Masker(resolved.settings.mask)
    display, for_programs = MaskedDisplay(shown, masker), isinstance(shown, JsonLines)
    for warning in resolved.warnings:
        display.status(f"warning: {warning}")
    terminal = Terminal()
    outcome = Outcome(failed=True)
    try:
        if join is None:
            work = _run(wishes, resolved, display, terminal, masker, for_programs=for_programs)
        else:
            prompt = Prompt(editing=wishes.chat and not for_programs, asks=False)
            work = ask_as_guest(join, wishes, display, prompt, masker, sockets=resolved.settings.sockets)
        outcome = threads.run(work)
    except NothingStopped as nothing:
        display.status(str(nothing))
        outcome = Outcome()
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


async def _run(
    wishes: Wishes, resolved: Resolved, display: Display, terminal: Terminal, masker: Masker, *, for_programs: bool
) -> Outcome:
    client = await proxy_of(resolved, masker=masker, wire_log=open_wire_log(wishes.wire_log)).open_in_process()
    setup = backend_of(resolved.settings).terminal_setup
    prompt = Prompt(editing=wishes.chat and not for_programs, asks=not for_programs)
    if wishes.native:
        console = display.status if wishes.verbose else None
        run: Run = NativeRun(client, display, NativeJob(wishes.native, display.program_output, console), wishes, prompt)
    else:
        job = Job(terminal, display.program_output if for_programs else None)
        run = Run(client, display, job, wishes, prompt, terminal_setup=setup)
    try:
        return await run.run()
    finally:
        if wishes.export:
            write_private(wishes.export, masker.mask(markdown(run.exchanges)))
        await client.close()


def _discard_stdout() -> None:
    """Keeps Python from complaining at its end that nobody reads stdout any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""`dap-ai ask`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Literal

import click

from dap_ai.adapter.client import ConnectionClosed
from dap_ai.adapter.pump import SessionFailed
from dap_ai.agent.mask import Masker
from dap_ai.agent.transcript import markdown, write_private
from dap_ai.backends import StartError
from dap_ai.commands.arguments import Breakpoint, parse_assignments, parse_breakpoints
from dap_ai.commands.ask_command import AskCommand
from dap_ai.commands.display import Display
from dap_ai.commands.guests import NothingStopped
from dap_ai.commands.job import Job
from dap_ai.commands.join import ask_as_guest, check_options
from dap_ai.commands.json_lines import JsonLines
from dap_ai.commands.masking import MaskedDisplay
from dap_ai.commands.native_job import NativeJob
from dap_ai.commands.native_program import Adapter, NativeProgram, find_core
from dap_ai.commands.native_run import NativeRun
from dap_ai.commands.outcome import BACKEND_FAILED, Outcome, Wishes
from dap_ai.commands.program import Program, find_program
from dap_ai.commands.prompt import Prompt
from dap_ai.commands.rendering import TerminalDisplay
from dap_ai.commands.run import Run
from dap_ai.commands.subject import adapter_of, backend_for, is_native, panics, prepared
from dap_ai.commands.table import resolve
from dap_ai.commands.terminal import Terminal
from dap_ai.commands.wiring import backend_of, open_wire_log, proxy_of
from dap_ai.config import Resolved, provider_of
from dap_ai.protocol.ask import LEVELS
from dap_ai.protocol.errors import RequestFailed

_HELP = """Run a program to its first uncaught exception, crash, failed assertion or breakpoint, and ask about it.

PROGRAM is a Python file; a native program, made of C, C++, Rust or what else lldb or gdb knows, best with -g -O0;
or a source file of C, C++ or Rust, which is compiled first.

The answer goes to stdout, everything about the run to stderr. After it the program goes on as it would have without
dap-ai. Options may stand before or after PROGRAM; what is not listed here, and everything after --, is the program's.
Ctrl-C while an answer is made cancels it; pressed again, it ends the program.

Without a key or an endpoint, program analysis answers, and nothing leaves this machine. OPENAI_API_KEY, and only it,
holds a key; --base-url (or OPENAI_BASE_URL) names any endpoint that speaks Chat Completions.

\b
Examples:
  dap-ai ask report.py data.csv
  dap-ai ask report.py -q "why is total negative?" -b report.py:40:"total < 0"
  dap-ai ask shop.py -b shop.py:12 -q "trace total(cart)"
  dap-ai ask --exception userUnhandled -m pytest tests/test_report.py
  dap-ai ask ./parser bad.txt -q "why is node null?"
  dap-ai ask --sanitize address crash.c
  dap-ai ask --core core.4711 ./parser
  dap-ai ask --pid 4711 -q "what is it waiting for?"
  dap-ai ask --chat report.py
  dap-ai ask --join -q "why is total negative?"     (the session that an editor has stopped: dap-ai sessions)
  dap-ai ask --json report.py | jq -r 'select(.event == "askEnded").answer'

\b
With a language model:
  OPENAI_API_KEY=... dap-ai ask --chat report.py
  dap-ai ask --base-url http://localhost:11434/v1 --model qwen3 report.py     (Ollama)
  dap-ai ask --show-context report.py            (what its first message would hold)

\b
Exit codes:
    0  answered
    1  the program ended without a stop; with --join, nothing is stopped
    2  usage error
    3  the compiler, the debugger or the answer failed
  130  interrupted (128 + n: ended by signal n)
With --exit-code program: the program's own, 128 + n if signal n killed it.
"""


@click.command(cls=AskCommand, help=_HELP, options_metavar="[OPTIONS]")
@click.option("-q", "--question", default="", help="Default: why did it stop here?")
@click.option("--chat", is_flag=True, help="Ask on after an answer, and step; `help` there lists what can be typed.")
@click.option(
    "-b",
    "--breakpoint",
    "breakpoints",
    multiple=True,
    callback=parse_breakpoints,
    metavar="FILE:LINE[:CONDITION]",
    help="Stop there. Repeatable.",
)
@click.option(
    "--exception",
    "exceptions",
    multiple=True,
    type=click.Choice(["uncaught", "userUnhandled", "raised"]),
    help="Stop at exceptions that nothing catches, that leave your code, or all. Repeatable. Of C++, only raised "
    "(each throw); signals, failed assertions and panics of Rust always stop.  [default: uncaught]",
)
@click.option("--each-stop", is_flag=True, help="Ask at every stop, not only at the first.")
@click.option(
    "--then",
    type=click.Choice(["continue", "quit"]),
    default="continue",
    help="What the program does after the answer.  [default: continue]",
)
@click.option("--show-context", is_flag=True, help="Print what would be sent with a question, and ask nothing.")
@click.option("--show-masked", is_flag=True, help="List what was masked: how often, by which rule; never a secret.")
@click.option("-m", "module", metavar="MODULE", help="Run a module; all that follows is its own, as with python -m.")
@click.option("--pid", type=click.IntRange(min=1), help="Attach to a running program instead, and leave it running.")
@click.option(
    "--core", metavar="FILE", help="Look into the core file of a crash; PROGRAM is what left it, if it is not found."
)
@click.option(
    "--join",
    is_flag=False,
    flag_value="",
    metavar="[SESSION]",
    help="Ask about a session that an editor has stopped, by its id or program; without SESSION, the only one. "
    "Its own model, masking and level answer; nothing of it is moved.",
)
@click.option(
    "--cwd", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The program's working directory."
)
@click.option(
    "--env", multiple=True, callback=parse_assignments, metavar="K=V", help="Add to its environment. Repeatable."
)
@click.option("--python", type=click.Path(), help="The interpreter that runs it.")
@click.option(
    "--sanitize",
    multiple=True,
    type=click.Choice(["address", "undefined", "thread"]),
    help="Compile a source file with this sanitizer. Repeatable.",
)
@click.option(
    "--backend",
    metavar="NAME",
    help="The debugger: debugpy, lldb, gdb, or an adapter's command line.  [default: by PROGRAM, lldb before gdb]",
)
@click.option("--provider", metavar="NAME", help="openai (any endpoint), or offline (no key, no network).")
@click.option("--model", metavar="NAME", help="The language model.")
@click.option("--base-url", metavar="URL", help="The endpoint that has it.  [default: OpenAI's]")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    help="observe only reads; compute also calls, in copies; mutate also acts on the program, and asks you each time.",
)
@click.option(
    "--allow", multiple=True, metavar="ACTION", help="Needs no asking: 'step', 'set_breakpoint shop.py:*'. Repeatable."
)
@click.option("--deny", multiple=True, metavar="CALL", help="Never done: 'execute', 'environment'. Repeatable.")
@click.option(
    "--unsafe", is_flag=True, default=None, help="Level mutate, and nobody is asked. Only for what may be lost."
)
@click.option("--record", metavar="FILE", help="Add the model's replies to FILE.")
@click.option("--replay", metavar="FILE", help="Let such a FILE answer instead of a model: no key, no network.")
@click.option("-v", "--verbose", is_flag=True, help="Show each step's whole result. Before PROGRAM only.")
@click.option(
    "--export",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write questions, steps and answers to FILE as Markdown, at the end.",
)
@click.option(
    "--log", "wire_log", type=click.Path(path_type=Path), metavar="FILE", help="Record what is said, for dap-ai replay."
)
@click.option("--json", "json_lines", is_flag=True, help="One JSON object a line on stdout, and nothing else.")
@click.option(
    "--exit-code",
    type=click.Choice(["answer", "program"]),
    default="answer",
    help="Whose exit code dap-ai ends with.  [default: answer]",
)
@click.help_option("-h", "--help")
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
    display = JsonLines(sys.stdout.buffer) if json_lines else TerminalDisplay(settings, verbose=verbose)
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
        outcome = asyncio.run(work)
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

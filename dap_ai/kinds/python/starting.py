"""From what the command line names to the target of a run."""

from __future__ import annotations

from collections.abc import Callable

import click

from dap_ai.commands.kinds import Make, Wanted
from dap_ai.commands.running.target import Out, Target
from dap_ai.commands.wiring import backend_of
from dap_ai.config import Resolved
from dap_ai.kinds.python.job import Job
from dap_ai.kinds.python.program import Program, find_program
from dap_ai.kinds.python.target import PythonTarget


def look(wanted: Wanted, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """See commands.kinds.Named. Raises UsageError."""
    del tell
    if wanted.sanitize:
        raise click.UsageError("--sanitize works for C and C++ source files only.")
    settings = resolved.settings
    program = _program(wanted, resolved) if wanted.pid is None else None

    def make(out: Out) -> Target:
        job = Job(out.terminal, out.display.program_output if out.for_programs else None)
        return PythonTarget(
            job,
            program=program,
            pid=wanted.pid,
            just_my_code=settings.just_my_code,
            terminal_setup=out.terminal_setup,
        )

    return make


def _program(wanted: Wanted, resolved: Resolved) -> Program:
    words, module = tuple(wanted.words), wanted.module
    if not module and not words:
        raise click.UsageError(
            "PROGRAM is missing: name a Python file, a native program or its source, or use -m MODULE, --pid N "
            "or --core FILE."
        )
    path = "" if module else find_program(words[0])
    python = resolved.settings.python or backend_of(resolved.settings).default_python(wanted.cwd)
    return Program(python, path, module or "", words if module else words[1:], wanted.cwd, wanted.env)

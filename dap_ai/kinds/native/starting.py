"""From what the command line names to the target of a run."""

from __future__ import annotations

from collections.abc import Callable

import click

from dap_ai.commands.kinds import Make, Wanted
from dap_ai.commands.running.target import Out, Target
from dap_ai.config import Resolved
from dap_ai.kinds.native.building import adapter_of, panics, prepared
from dap_ai.kinds.native.job import NativeJob
from dap_ai.kinds.native.program import find_core
from dap_ai.kinds.native.target import NativeTarget


def look(wanted: Wanted, resolved: Resolved, tell: Callable[[str], None]) -> Make:
    """See commands.kinds.Named. Raises UsageError, StartError with the compiler's words."""
    adapter = adapter_of(resolved.settings.backend)
    runs = wanted.core is not None or wanted.pid is not None
    if wanted.sanitize and runs:
        raise click.UsageError("--sanitize works for C and C++ source files only.")
    core = find_core(wanted.core, wanted.words) if wanted.core else None
    program = (
        None if runs else prepared(wanted.words, wanted.cwd, wanted.env, adapter, sanitize=wanted.sanitize, tell=tell)
    )
    is_rust = panics(program, wanted.pid)

    def make(out: Out) -> Target:
        console = out.display.status if out.verbose else None
        job = NativeJob(adapter, out.display.program_output, console)
        return NativeTarget(adapter, job, program=program, pid=wanted.pid, core=core, stops_at_panics=is_rust)

    return make

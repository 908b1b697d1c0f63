"""`dap-ai run replay`: reruns a recorded agent with the answers from its recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dap_ai.debuggees.runs.commands.parts.replay_options import options, options_of
from dap_ai.debuggees.runs.commands.parts.run_arguments import opened, run_argument

_HELP = """Run a recorded agent again, with the answers of its recording: no model is asked.

RUN is a recording of `dap-ai record`. The agent's command runs anew, in a copy of its workspace as it was before the
run, and its tools with it: what they do outside of the workspace, they do again. Each query is compared with the
recorded one, and the first that differs is told. Times, durations and random names are told too, and count for nothing.

The copy is removed at the end: every state of it is a commit of the new recording's workspace.git. --keep keeps it.

Exit code 0 where nothing differs, 1 where a query or the files that are left do; with --check that of the check.

\b
Examples:
  dap-ai run replay runs/first
  dap-ai run replay runs/first -- .venv/bin/python agent.py --fixed
  dap-ai run replay runs/first --diverged stop
"""


@click.command(help=_HELP, context_settings={"ignore_unknown_options": True})
@run_argument
@options
def command(run: Path, **given: Any) -> None:
    """Rerun the agent with the recorded answers and compare both runs."""
    from dap_ai.debuggees.runs.commands.parts.rerun_options import inherited, run_again, tape_of  # noqa: PLC0415  on use
    from dap_ai.debuggees.runs.live.endpoint_plan import Plan  # noqa: PLC0415  not needed for --help

    wanted, read = options_of(given), opened(run)
    tape = tape_of(run, read)
    shape = "live" if wanted.diverged == "live" else "stop"
    plan = Plan(str(tape.folder), edits=inherited(tape), texts=wanted.diverged, shape=shape)
    run_again(read, tape, plan, {"kind": "replay", "words": "replay"}, wanted)

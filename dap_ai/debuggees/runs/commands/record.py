"""`dap-ai record`: runs an unmodified agent and records its queries, calls and file changes."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import click

from dap_ai.commands.display.command_output import say, warn
from dap_ai.debuggees.runs.commands.parts.replay_options import recording_folder
from dap_ai.debuggees.runs.live.endpoint_messages import ReplayPlan
from dap_ai.debuggees.runs.live.record_agent import CannotRecord, Keeper, RecordRequest, run_agent
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary
from dap_ai.debuggees.runs.store import FILE, WORKSPACE
from dap_ai.system.texts import counted

_HELP = """Run an agent and record it: each query and answer of its model, its calls, each change of files, its cost.

No line of the agent is changed: the variables that say where its model is (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, ...)
lead through an endpoint on this machine, which passes everything on as it comes. The agent keeps its terminal, and its
exit code is that of this command. The recording is yours alone (mode 0600): what was said, unmasked; no request's key.

\b
Examples:
  dap-ai record -- mini -t "fix the failing test"
  dap-ai record --out runs/first -- aider --message "add a docstring" shop.py
  dap-ai run show runs/first            also while it is still being written
"""
_NOT_FOUND, _NOT_STARTED = 127, 126


@click.command(help=_HELP, context_settings={"ignore_unknown_options": True})
@click.option("--out", type=click.Path(path_type=Path), help="The recording's folder; new or empty.")
@click.option(
    "--workspace",
    type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
    help="The directory whose changes are kept, each as a commit of a repository of ours.  [default: this one]",
)
@click.option("--no-workspace", is_flag=True, help="Keep no changes of files.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def command(command: tuple[str, ...], out: Path | None, workspace: Path | None, *, no_workspace: bool) -> None:
    """Run the agent and exit with its exit code; 127 or 126 if the agent cannot be started, 2 without a recording."""
    program = shutil.which(command[0])
    if program is None:
        warn(f"{command[0]}: is no command that can be found.")
        raise SystemExit(_NOT_FOUND)
    folder = recording_folder(out, command[0])
    followed = None if no_workspace else workspace or Path.cwd()
    wish = RecordRequest(command, folder, followed, os.environ, gate=ReplayPlan())
    try:
        keeper = Keeper(wish)
    except (CannotRecord, OSError) as error:
        raise click.UsageError(f"{folder}: nothing can be recorded: {error}.") from error
    warn(f"recording to {folder}")
    if keeper.ready.trouble:
        warn(f"changes of files are not kept: {keeper.ready.trouble}")
    try:
        code = run_agent(wish, keeper)
    except OSError as error:
        keeper.end(_NOT_STARTED)
        warn(f"{command[0]}: cannot be started: {error.strerror}.")
        raise SystemExit(_NOT_STARTED) from error
    _tell(keeper.end(code), folder, code)
    raise SystemExit(code)


def _tell(told: RecordingSummary | None, folder: Path, code: int) -> None:
    if told is None:
        warn(f"the endpoint has ended without a word; what it recorded is in {folder / FILE}")
    else:
        warn(f"exit code {code}; {_summary(told)}")
        for note in told.notes:
            warn(note)
    place = shlex.quote(str(folder))
    warn(f"recorded in {folder}; look at it with:")
    for line in (f"dap-ai run show {place}", f"dap-ai run open {place}", f"dap-ai ask --run {place}"):
        say(f"    {line}", err=True)
    if told and told.changes:
        say(f"    git --git-dir={shlex.quote(str(folder / WORKSPACE))} log -p", err=True)


def _summary(told: RecordingSummary) -> str:
    """Format the totals: `12 queries (1 failed), 34,567 tokens in, 1,234 out, $0.12, 5 changes of the workspace`."""
    if not told.queries:
        return "no query came by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and such: nothing but the agent's end is recorded"
    queries = counted(told.queries, "query", "queries") + (f" ({told.failed} failed)" if told.failed else "")
    tokens = f"{told.input_tokens:,} tokens in, {told.output_tokens:,} out" if told.input_tokens else ""
    cost = f"${told.cost_usd:.2f}" if told.cost_usd >= 0.005 else ""
    changes = f"{counted(told.changes, 'change')} of the workspace" if told.changes else ""
    return ", ".join(filter(None, (queries, tokens, cost, changes)))

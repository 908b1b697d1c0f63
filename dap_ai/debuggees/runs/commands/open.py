"""`dap-ai run open`: serves a run to an editor, which debugs the run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import click

from dap_ai.debuggees.runs.commands.parts.editor_snippets import TOKEN_VARIABLE, lines
from dap_ai.debuggees.runs.commands.parts.run_arguments import json_option, read_by, run_argument
from dap_ai.debuggees.runs.commands.parts.run_output import print_json
from dap_ai.debuggees.runs.commands.parts.visible_texts import in_a_line, path_shown
from dap_ai.system.texts import counted

_HELP = """Step through RUN in an editor: say how each one connects, and serve the run until Ctrl-C.

There it is debugged as a program is: step forward and back, break at a tool (tool:bash, with conditions), stop where a
check failed, open each event as a document, ask in the console with ??. Nothing in RUN is executed or changed.

It is served on a free port of this machine, or on --port, to those who know the token that is shown, or that
DAP_AI_TOKEN holds. With both set, what you paste stays right: the next `run open` serves another run to it. When an
editor has left, the next one may connect. Editors that start dap-ai by themselves do without this command:
docs/editors.md, "Runs of agents".

\b
Examples:
  dap-ai run open results/django-11790
  dap-ai run open results/django-11790 --port 4711
  dap-ai run open RUN --json                   {"run", "host", "port", "token"}, for a plug-in
"""
_HOST = "127.0.0.1"


@click.command(help=_HELP)
@run_argument
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: a free one]")
@json_option
def command(run: Path, port: int, *, as_json: bool) -> None:
    """Serve the run; exit code 2 if the run cannot be read, 1 if the port is not available, 0 after Ctrl-C."""
    path = run.absolute()
    about = _about(run)

    def tell(bound: int, token: str) -> None:
        if as_json:
            print_json([{"run": str(path), "host": _HOST, "port": bound, "token": token}])
        else:
            shown = "" if os.environ.get(TOKEN_VARIABLE) else token
            click.echo("\n".join([about, "", *lines(run.name or path.name, _HOST, bound, shown), ""]))

    from dap_ai.debuggees.runs.commands.parts.run_server import serve  # noqa: PLC0415  not needed for --help or errors

    number = serve(str(path), _HOST, port, tell)
    if number and number != signal.SIGINT:  # Ctrl-C is the normal way to end
        raise SystemExit(128 + number)


def _about(path: Path) -> str:
    """Return a line about the run, of which only the beginning is read if it is large. Raises RunArgumentError."""
    from dap_ai.debuggees.runs.adapter.background_reader import first_of  # noqa: PLC0415  not needed for --help

    run, is_whole = read_by(first_of, path)
    name = path_shown(run.root.replace("\\", "/").rstrip("/").rpartition("/")[2])
    steps = f"{counted(run.steps, 'step')}, {run.outcome.verdict}" if is_whole else f"more than {run.steps:,} steps"
    return in_a_line(f"{name}: {run.format}, {steps}")

"""The command group `dap-ai run`, with one module for each command.

A command's module is imported when the command is used. Code that several commands share is in `parts/`.
"""

from __future__ import annotations

from dap_ai.commands.lazy import LazyGroup

_HELP = """Read what an LLM agent did, from whatever file or folder it left behind.

RUN is that file or folder; its format is recognised. Nothing is written there, and no command in it is executed, but by
replay, fork and retry, which run a recorded agent again, in a copy of its workspace.

\b
Examples:
  dap-ai run list results/                    every run below a folder, in a table
  dap-ai run show results/django-11790        one of them, on a screen
  dap-ai run show results/django-11790 12     its 12th step in full
  dap-ai run onset results/django-11790       where it went wrong
  dap-ai run retry RUN --at onset --check 'pytest -q'   again from there, with that said to the agent
  dap-ai run open results/django-11790        step through it in an editor
  dap-ai run export RUN --to html -o run.html a page to read or hand on
  dap-ai run scan results/ --out runs.jsonl   every run analysed, a row each

Steps are numbered from 1: a step is one call of a tool with its result, or one answer without a call.
"""
_COMMANDS = (
    "list",
    "show",
    "tree",
    "steps",
    "stages",
    "checks",
    "changes",
    "diff",
    "compare",
    "onset",
    "replay",
    "fork",
    "retry",
    "open",
    "search",
    "export",
    "scan",
    "restore",
    "recordings",
    "layout",
)

command = LazyGroup(
    "run",
    help=_HELP,
    package="dap_ai.debuggees.runs.commands",
    modules=_COMMANDS,
    short_help="Read the recorded runs of agents.",
)

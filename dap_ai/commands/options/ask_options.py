"""The options of `dap-ai ask` and its help."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from dap_ai.commands.options.command_line import parse_assignments, parse_breakpoints, parse_question
from dap_ai.protocol.wire.ask_messages import LEVELS

HELP = """Run a program to its first uncaught exception, crash, failed assertion or breakpoint, and ask about it.

PROGRAM is a Python file; a native program (C, C++, Rust or whatever else lldb or gdb supports), best compiled with
-g -O0; or a C, C++ or Rust source file, which is compiled first.

The answer goes to stdout, everything about the run to stderr. Afterwards the program continues as it would have without
dap-ai. Options may stand before or after PROGRAM; what is not listed here, and everything after --, is passed to the
program. Ctrl-C cancels the current answer; pressed again, it ends the program.

Without a key or an endpoint, program analysis answers, and nothing leaves this machine. A key is
read from OPENAI_API_KEY only; --base-url (or OPENAI_BASE_URL) names any endpoint that speaks Chat Completions.

\b
Examples:
  dap-ai ask report.py data.csv
  dap-ai ask report.py -q "why is total negative?" -b report.py:40:"total < 0"
  dap-ai ask shop.py -b shop.py:12 -q "trace total(cart)"
  dap-ai ask -m unittest tests.test_report          (each test that fails: pytest --ask)
  dap-ai ask ./parser bad.txt -q "why is node null?"
  dap-ai ask --sanitize address crash.c
  dap-ai ask --core core.4711 ./parser
  dap-ai ask --run trial.traj.json                  (the recorded run of an LLM agent: where it went wrong)
  dap-ai ask --pid 4711 -q "what is it waiting for?"
  dap-ai ask --kernel                               (the last error of a notebook's kernel)
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

_flag = partial(click.option, is_flag=True)
_many = partial(click.option, multiple=True)
_or_alone = partial(click.option, is_flag=False, flag_value="")
"""A decorator that adds an option whose value may be omitted."""
_OPTIONS = (
    _many("-q", "--question", callback=parse_question, help="Default: why did it stop here?"),
    _flag("--chat", help="Keep asking after an answer, and step; `help` lists what can be typed."),
    _many(
        "-b",
        "--breakpoint",
        "breakpoints",
        callback=parse_breakpoints,
        metavar="FILE:LINE[:CONDITION]",
        help="Stop there. Repeatable.",
    ),
    _many(
        "--exception",
        "exceptions",
        type=click.Choice(["uncaught", "userUnhandled", "raised"]),
        help="Stop at exceptions that nothing catches, that leave your code, or all. Repeatable. Of C++, only raised "
        "(each throw); signals, failed assertions and panics of Rust always stop.  [default: uncaught]",
    ),
    _flag("--each-stop", help="Ask at every stop, not only at the first."),
    click.option(
        "--then",
        type=click.Choice(["continue", "quit"]),
        default="continue",
        help="What the program does after the answer.  [default: continue]",
    ),
    _flag("--show-context", help="Print what would be sent with a question, and ask nothing."),
    _flag("--show-masked", help="List what was masked: how often, by which rule; never a secret."),
    click.option(
        "-m", "module", metavar="MODULE", help="Run a module; all that follows is passed to it, as with python -m."
    ),
    click.option(
        "--pid", type=click.IntRange(min=1), help="Attach to a running program instead, and leave it running."
    ),
    click.option(
        "--core",
        metavar="FILE",
        help="Read the core file of a crash; PROGRAM is the program that left it, if it is not found.",
    ),
    click.option(
        "--run",
        "recorded",
        metavar="PATH",
        help="Ask about the recorded run of an agent: it is held where it went wrong (dap-ai run lists runs).",
    ),
    _flag(
        "--agent",
        help="PROGRAM is an LLM agent: run it, hold it at the first pattern, error or failed end, and explain that.",
    ),
    click.option(
        "--against",
        metavar="PATH",
        help="With --run: another run of the same task, one that went well, to compare with.",
    ),
    _or_alone(
        "--join",
        metavar="[SESSION]",
        help="Ask about a session that an editor has stopped, by its id or program; without SESSION, the only one. "
        "Its own model, masking and level answer; nothing of it is moved.",
    ),
    _or_alone(
        "--post-mortem",
        metavar="[ADDRESS]",
        help="Ask about a process that is held after a failure (dap_ai.post_mortem); without ADDRESS, the only one.",
    ),
    _or_alone(
        "--kernel",
        metavar="[FILE]",
        help="Ask about a Jupyter kernel, by its connection file: its last error, or where a debugger has stopped it. "
        "Words that follow are the question. Without FILE, the newest kernel.",
    ),
    click.option(
        "--cwd", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The program's working directory."
    ),
    _many("--env", callback=parse_assignments, metavar="K=V", help="Add to the program's environment. Repeatable."),
    click.option("--python", type=click.Path(), help="The interpreter that runs it."),
    _many(
        "--sanitize",
        type=click.Choice(["address", "undefined", "thread"]),
        help="Compile a source file with this sanitizer. Repeatable.",
    ),
    click.option(
        "--backend",
        metavar="NAME",
        help="The debugger: debugpy, lldb, gdb, or an adapter's command line.  [default: by PROGRAM, lldb before gdb]",
    ),
    click.option("--provider", metavar="NAME", help="openai (any endpoint), or offline (no key, no network)."),
    _flag("--thorough", default=None, help="Without a model: try fixes for ten times as long as usual."),
    click.option("--model", metavar="NAME", help="The language model."),
    click.option("--base-url", metavar="URL", help="The endpoint that has it.  [default: OpenAI's]"),
    click.option(
        "--level",
        type=click.Choice(LEVELS),
        help="observe only reads; compute also calls, in copies; mutate also acts on the program, and asks you "
        "each time.",
    ),
    _many("--allow", metavar="ACTION", help="Needs no confirmation: 'step', 'set_breakpoint shop.py:*'. Repeatable."),
    _many("--deny", metavar="CALL", help="Never done: 'execute', 'environment'. Repeatable."),
    _flag("--unsafe", default=None, help="Level mutate without confirmation; for disposable programs only."),
    click.option("--record", metavar="FILE", help="Append the model's replies to FILE."),
    click.option("--replay", metavar="FILE", help="Answer from such a FILE instead of a model: no key, no network."),
    _flag(
        "-v",
        "--verbose",
        help="Show each step with its whole result, and the evidence of an offline answer. Before PROGRAM only.",
    ),
    _flag("--brief", help="Show at most 1,300 bytes of the answer: cause, advice and the values that prove it."),
    click.option(
        "--export",
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        metavar="FILE",
        help="Write questions, steps and answers to FILE as Markdown, at the end.",
    ),
    click.option(
        "--log",
        "wire_log",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Record all messages, for dap-ai replay.",
    ),
    _flag("--json", "json_lines", help="Print one JSON object per line on stdout, and nothing else."),
    click.option(
        "--exit-code",
        type=click.Choice(["answer", "program"]),
        default="answer",
        help="Whose exit code dap-ai returns.  [default: answer]",
    ),
    click.help_option("-h", "--help"),
)
"""Decorators for all options of `dap-ai ask`, in the order of the help; `ask_command.py` groups them in sections."""


def some_options(*spellings: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds some of the options of `ask` to another command.

    Each option is named by one of its spellings.
    """

    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(_OPTIONS):
            bare = click.Command(None, params=option(lambda: None).__click_params__)  # type: ignore[attr-defined]
            if set(spellings).intersection(bare.params[0].opts):
                function = option(function)
        return function

    return give


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with all options of `dap-ai ask`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function

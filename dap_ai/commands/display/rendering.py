"""Terminal output: answers on stdout, everything about the run on stderr. The only module that imports rich.

1. No block is printed twice, so that an answer takes linear time and does not flicker.
2. If stdout is not a terminal, the answer is written as unrendered Markdown.
3. Characters that control a terminal or hide in it (protocol/wire/visible.py) are shown as escapes, whatever their
   source.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import time
from typing import BinaryIO, TextIO

import msgspec
from rich.console import Console
from rich.markdown import Markdown
from rich.segment import Segment, Segments
from rich.status import Status
from rich.text import Text
from rich.theme import Theme

from dap_ai.agent.guard.policy import plain
from dap_ai.agent.loop.transcript_file import cost
from dap_ai.commands.display.brief import brief
from dap_ai.commands.display.folding import without_evidence
from dap_ai.commands.display.line_ends import are_one, may_be_within_line
from dap_ai.commands.display.markdown_blocks import Blocks
from dap_ai.commands.display.masked_display import counted, listed
from dap_ai.commands.display.path_line import chain
from dap_ai.protocol.wire.ask_messages import AskApproval, AskEnded, AskOutput, EndReason, Masked, ToolStep, Usage
from dap_ai.protocol.wire.safe import Safe, SafeFields
from dap_ai.protocol.wire.visible import on_one_line, visible, without_colours
from dap_ai.settings.configuration import Settings, provider_of
from dap_ai.system.texts import cut

# debugpy's hint for editors that show a stack as well, and its text for an exception without a message.
_NOTE = re.compile(
    r"\s*\(note: full exception trace is shown but execution is paused at: .*\)$|^exception: no description$"
)
# Rich's default style has a black background, which shows as a box on a light terminal.
_THEME = Theme({"markdown.code": "bold cyan"})
_CODE_THEMES = {"dark": "ansi_dark", "light": "ansi_light", "none": "bw"}
_MARKUP = re.compile(r"^`{3,}.*$|\*\*|`", re.MULTILINE)
_MAX_LINE_CHARS = 160
_MAX_REASON_CHARS = 300
_MAX_MORE_LINES = 4
"""Maximum number of lines of an exception's message to show after its first line."""
_LONG_WAIT_S = 2.0
_WITHOUT_BRIEF = "(Shortened: without `--brief` the answer is whole.)"
_AT_WORK = "the model is working"
_PROGRESS = ("the model is thinking", "waiting for ", "tried ")
"""Prefixes of status texts that only report waiting; the spinner shows such a text instead of a line."""
_ENDINGS: dict[EndReason, str] = {
    "cancelled": "the answer was cancelled",
    "notStopped": "nothing could be read: the program was not stopped",
    "limit": "a limit ended the answer (max_tool_calls, max_tokens, max_cost_usd or ask_timeout_s: see dap-ai config)",
}


class TerminalDisplay:
    """Shows a run to a person at a terminal."""

    def __init__(
        self,
        settings: Settings,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        verbose: bool = False,
        brief: bool = False,
    ) -> None:
        self._out = Console(file=out or sys.stdout, highlight=False, markup=False, emoji=False, theme=_THEME)
        self._err = Console(file=err or sys.stderr, highlight=False, markup=False, emoji=False)
        self._render = self._out.is_terminal and settings.markdown
        self._code_theme = _CODE_THEMES[settings.theme]
        self._verbose, self._brief = verbose, brief
        by_analyst = provider_of(settings, os.environ) == "offline"
        self._doing = "looking at the program" if by_analyst else _AT_WORK
        self.shows_pieces = not brief and (verbose or not by_analyst)
        """Whether an answer is shown while it is made. Otherwise it is shown at its end, without the evidence."""
        self._notice = ""
        """The first status of an answer, which names who answers; shown once per chat."""
        self._blocks = Blocks()
        self._answered = False
        self._open_line = False
        """Whether the program output that we have written ends within a line."""
        self._is_shared = False
        """Whether we have started a program that writes to the same terminal."""
        self._spinner: Status | None = None

    def command(self, command_line: Safe) -> None:
        """Show the command line, so that the user notices an option passed to the wrong program."""
        self._quiet()
        self._is_shared = True
        self._dim(f"$ {command_line}")

    def stopped(self, body: SafeFields) -> None:
        """Show why the program has stopped."""
        self._quiet()
        if self._open_line:
            self.program_output("stdout", b"\n")
        self._fresh_line()
        words = [_NOTE.sub("", without_colours(body.get(key) or "")) for key in ("text", "description")]
        reasons = list(dict.fromkeys(filter(None, words))) or [body["reason"]]
        first, *more = ": ".join(["stopped", *reasons]).splitlines()
        self._dim("\n".join([_one_line(first), *(f"  {_one_line(line)}" for line in more[:_MAX_MORE_LINES])]))

    def waiting(self, text: Safe) -> None:
        """Show a spinner if stderr is a terminal."""
        self._wait(text)

    def _wait(self, text: str) -> None:
        if self._spinner:
            self._spinner.update(_Wait(text))
        elif self._err.is_terminal and not self._err.is_dumb_terminal:
            self._spinner = Status(_Wait(text), console=self._err)
            self._spinner.start()

    def status(self, text: Safe) -> None:
        """Show one line about the run on stderr."""
        self._dim(text)

    def reply(self, text: Safe) -> None:
        """Write the text to stdout unchanged, apart from escaped control characters."""
        self._quiet()
        self._write(visible(text).rstrip("\n") + "\n")

    def ask_output(self, output: AskOutput) -> None:
        """Show the agent's output: whole blocks of the answer, each step on one line, each status.

        With `-v`, a step is shown with its whole result.
        """
        text, wait = output.output.strip(), self._doing
        if output.category == "answer":
            self._answer(visible(output.output) if self.shows_pieces else "")
        elif output.tool and self.shows_pieces:
            self._step(output.tool)
        elif output.tool or not self.shows_pieces or text.startswith(_PROGRESS):
            wait = text
        elif text != self._notice:
            self._notice = self._notice or text
            self._dim(text)
        if self._render or not (self._answered and self._out.is_terminal):  # a spinner erases its line
            self._wait(wait)

    def approval(self, wanted: AskApproval) -> None:
        """Show the whole action that needs consent, and the model's reason.

        Neither can be mistaken for a line of ours.
        """
        self._quiet()
        action, reason = on_one_line(wanted.action), plain(wanted.reason, _MAX_REASON_CHARS)
        self._err.print(Text("The agent wants to act on the program:", style="bold"))
        self._err.print(Text(f"    {visible(wanted.kind)}: {action}"), soft_wrap=True)
        if wanted.now:
            self._err.print(Text(f"    now it is {plain(wanted.now, _MAX_REASON_CHARS)}"), soft_wrap=True)
        self._err.print(Text(f"    its reason: {reason or 'none given'}", style="dim"), soft_wrap=True)

    def ask_ended(self, ended: AskEnded) -> None:
        """Show the rest of the answer and its cost; if it ended early, show why."""
        self._quiet()
        shown = ended.answer
        if not self._answered:
            shown = self._shortened(ended)
            self._answer(visible(shown))
        self._print_blocks(self._blocks.end())
        if self._answered and not self._render:
            self._write("" if shown.endswith("\n") else "\n")
        self._blocks, self._answered = Blocks(), False
        self._path(ended)
        self._dim(_ENDINGS.get(ended.reason, ""))
        self._dim(" · ".join(filter(None, [cost(ended.usage), counted(ended.masked)])))
        is_read = self._out.is_terminal and ended.error and ended.error in ended.answer  # stdout may be a file
        if ended.reason == "failed" and not is_read:
            self._fail(ended.error or "the answer failed")

    def _shortened(self, ended: AskEnded) -> str:
        """Return the answer's text as far as it is shown."""
        if self._brief:
            return brief(ended, more=_WITHOUT_BRIEF) + "\n"
        if self.shows_pieces or ended.report is msgspec.UNSET:
            return ended.answer
        return without_evidence(ended.report, strong=self._render)

    def markdown(self, text: Safe) -> None:
        """Show a text that is no answer to a question."""
        self._quiet()
        self._answer(visible(text))
        self._print_blocks(self._blocks.end())
        self._blocks, self._answered = Blocks(), False

    def _path(self, ended: AskEnded) -> None:
        """Show on one line where the value in question came from."""
        if ended.path and (told := chain(ended.path)):
            self._dim(f"path: {told}")

    def prompting(self) -> None:
        """Stop the spinner, because the user's line needs a line of its own."""
        self._quiet()

    def spent(self, questions: int, usage: Usage) -> None:
        """Show a chat's number of questions and its cost on one line."""
        self._dim(f"{questions} questions: {cost(usage)}")

    def context(self, text: Safe) -> None:
        """Write the context to stdout exactly as a model would get it, apart from escaped characters."""
        self._quiet()
        self._write(visible(text).rstrip("\n") + "\n")

    def masked(self, rows: list[Masked]) -> None:
        """Show one line per masked secret, or a line that nothing was masked."""
        self._quiet()
        for line in listed(rows) or ["nothing was masked"]:
            self._dim(line)

    def program_output(self, category: str, data: bytes) -> None:
        """Write program output that the debug adapter reports.

        A program that shares the terminal writes its output there itself.
        """
        stream: BinaryIO = sys.stdout.buffer if category == "stdout" else sys.stderr.buffer
        self._quiet()
        stream.write(data)
        stream.flush()
        if category == "stdout" and data:
            self._open_line = not data.endswith(b"\n")

    def exited(self, exit_code: int, text: Safe) -> None:
        """Show how the program ended, on a line of its own."""
        del exit_code
        self._quiet()
        self._fresh_line()
        self._dim(text)

    def error(self, text: Safe) -> None:
        """Show an error in red on stderr."""
        self._fail(text)

    def _fail(self, text: str) -> None:
        self._quiet()
        self._err.print(Text(f"dap-ai: {visible(text)}", style="red"), soft_wrap=True)

    def close(self) -> None:
        """Stop the spinner."""
        self._quiet()

    def _step(self, step: ToolStep) -> None:
        line = _step(step, self._line_chars)
        if self._verbose and ("\n" in step.result.strip() or "…" in line):
            self._dim(_step(msgspec.structs.replace(step, result=""), self._line_chars))
            self._dim(textwrap.indent(step.result.strip("\n"), "    "))
        else:
            self._dim(line)

    def _answer(self, text: str) -> None:
        if not text:
            return
        if not self._answered:
            self._fresh_answer()
        self._answered = True
        self._show(text)

    def _show(self, text: str) -> None:
        if self._render:
            self._print_blocks(self._blocks.feed(text))
        elif text:
            self._quiet()
            self._write(text)

    def _print_blocks(self, blocks: list[str]) -> None:
        if not self._render:
            return
        for block in blocks:
            self._quiet()
            lines = self._out.render_lines(Markdown(block, code_theme=self._code_theme, hyperlinks=False), pad=False)
            self._out.print(Segments(_trimmed(lines)), end="")

    def _write(self, text: str) -> None:
        self._out.file.write(text)
        self._out.file.flush()

    def _dim(self, text: str) -> None:
        for line in visible(text).splitlines():
            self._err.print(Text(line, style="dim"), soft_wrap=not self._err.is_terminal)

    @property
    def _line_chars(self) -> int:
        return self._err.width if self._err.is_terminal else _MAX_LINE_CHARS

    def _fresh_line(self) -> None:
        """Start a new line on stderr, unless the current line is empty.

        Writing as many spaces as the terminal is wide wraps only if the program has begun a line.
        """
        if self._err.is_terminal and not self._err.is_dumb_terminal:
            self._err.file.write(" " * self._err.width + "\r")
            self._err.file.flush()
        elif self._is_shared and may_be_within_line(self._err.file):
            self._dim("\n")

    def _fresh_answer(self) -> None:
        """Start a new line on stdout before an answer, if stdout and stderr go to different places."""
        if self._is_shared and not self._out.is_terminal and not are_one(self._out.file, self._err.file):
            self._write("\n" if may_be_within_line(self._out.file) else "")

    def _quiet(self) -> None:
        if self._spinner:
            self._spinner.stop()
            self._spinner = None


def _trimmed(lines: list[list[Segment]]) -> list[Segment]:
    """Return a block's rendered lines without surrounding empty lines, followed by one empty line."""
    while lines and not _text(lines[0]).strip():
        lines = lines[1:]
    while lines and not _text(lines[-1]).strip():
        lines = lines[:-1]
    shown = [segment for line in lines for segment in (*_without_padding(line), Segment.line())] + [Segment.line()]
    # Markdown entities such as `&#8238;` are characters only after rendering.
    return [segment._replace(text=visible(segment.text)) for segment in shown]


def _without_padding(line: list[Segment]) -> list[Segment]:
    """Remove the spaces that only pad a line, because a user would copy them with the text."""
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], Segment(line[-1].text.rstrip(), line[-1].style)] if line else []


def _text(line: list[Segment]) -> str:
    return "".join(segment.text for segment in line)


def _step(step: ToolStep, chars: int) -> str:
    """Format an agent's step as `· evaluate(len(x)) -> 3 (8 ms, snapshot)`; shorten the result to fit `chars`."""
    notes = [f"{1000 * step.seconds:.0f} ms"] if step.seconds else []
    notes += ["snapshot"] if step.snapshot and not step.call.startswith("snapshot") else []
    end = f" ({', '.join(notes)})" if notes else ""
    asked = step.call.removeprefix(f"{step.name}(").removesuffix(")")
    result = _MARKUP.sub("", step.result).removeprefix(asked or " ").removeprefix(" evaluates to ")
    line = f"· {step.call or step.name}" + (f" -> {result}" if result.strip() else "")
    return _one_line(visible(line), chars - len(end)) + end


def _one_line(text: str, chars: int = _MAX_LINE_CHARS) -> str:
    return cut(" ".join(text.split()), chars, "…")


class _Wait:
    """The text of a spinner, with the elapsed seconds once the wait is long.

    Rich renders it again for each frame.
    """

    def __init__(self, text: str) -> None:
        self._text = visible(text)
        self._began = time.monotonic()

    def __rich__(self) -> Text:
        seconds = time.monotonic() - self._began
        return Text(self._text + (f" ({seconds:.0f} s)" if seconds >= _LONG_WAIT_S else ""), style="dim")

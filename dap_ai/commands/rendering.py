"""The terminal: answers on stdout, everything about the run on stderr. The only module that knows rich.

1. What is printed stays: no block is printed twice, so an answer costs linear time and does not flicker.
2. Where stdout is no terminal, the answer is its Markdown as it came.
3. Control characters in an answer are values of the program: they never reach a terminal.
"""

from __future__ import annotations

import re
import sys
from typing import Any, BinaryIO, TextIO

from rich.console import Console
from rich.markdown import Markdown
from rich.segment import Segment, Segments
from rich.status import Status
from rich.text import Text
from rich.theme import Theme

from dap_ai.commands.markdown import Blocks
from dap_ai.config import Settings
from dap_ai.protocol.ask import AskEnded, AskOutput, ToolStep

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# debugpy's hint for editors that show a stack beside it, and what it says of an exception without a message.
_NOTE = re.compile(
    r"\s*\(note: full exception trace is shown but execution is paused at: .*\)$|^exception: no description$"
)
# Rich's own has a black background, which is a box on a light terminal.
_THEME = Theme({"markdown.code": "bold cyan"})
_CODE_THEMES = {"dark": "ansi_dark", "light": "ansi_light", "none": "bw"}


class TerminalDisplay:
    """The display whose reader is a person."""

    def __init__(self, settings: Settings, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = Console(file=out or sys.stdout, highlight=False, markup=False, emoji=False, theme=_THEME)
        self._err = Console(file=err or sys.stderr, highlight=False, markup=False, emoji=False)
        self._render = self._out.is_terminal and settings.markdown
        self._code_theme = _CODE_THEMES[settings.theme]
        self._blocks = Blocks()
        self._answered = False
        self._spinner: Status | None = None

    def command(self, command_line: str) -> None:
        """The command that runs, so that an option that went to the wrong side is seen."""
        self._quiet()
        self._dim(f"$ {command_line}")

    def stopped(self, body: dict[str, Any]) -> None:
        """Why the program has stopped."""
        self._quiet()
        self._fresh_line()
        words = [_NOTE.sub("", body.get(key) or "") for key in ("text", "description")]
        self._dim(_one_line(": ".join(["stopped", *([word for word in words if word] or [body["reason"]])])))

    def waiting(self, text: str) -> None:
        """A spinner, if somebody can see it."""
        if self._spinner:
            self._spinner.update(Text(text, style="dim"))
        elif self._err.is_terminal and not self._err.is_dumb_terminal:
            self._spinner = Status(Text(text, style="dim"), console=self._err)
            self._spinner.start()

    def status(self, text: str) -> None:
        """One line."""
        self._dim(text)

    def ask_output(self, output: AskOutput) -> None:
        """The answer grows by whole blocks; a step is one line."""
        if output.category == "answer":
            self._answer(_clean(output.output))
        elif output.tool:
            self._dim(_step(output.tool))
        else:
            self._dim(output.output.strip())

    def ask_ended(self, ended: AskEnded) -> None:
        """The rest of the answer, and what it cost."""
        self._quiet()
        if not self._answered:
            self._answer(_clean(ended.answer))
        self._print_blocks(self._blocks.end())
        if self._answered and not self._render:
            self._write("" if ended.answer.endswith("\n") else "\n")
        self._blocks, self._answered = Blocks(), False
        if ended.reason != "completed":
            self._dim(f"the answer ended early: {ended.reason}")
        if ended.usage.provider:
            self._dim(_cost(ended))

    def context(self, text: str) -> None:
        """The context, as a model would get it."""
        self._quiet()
        self._write(_clean(text).rstrip("\n") + "\n")

    def program_output(self, category: str, data: bytes) -> None:
        """What the debug adapter says in the program's name; the program itself writes to the terminal."""
        stream: BinaryIO = sys.stdout.buffer if category == "stdout" else sys.stderr.buffer
        self._quiet()
        stream.write(data)
        stream.flush()

    def exited(self, exit_code: int, text: str) -> None:
        """How the program ended."""
        del exit_code
        self._quiet()
        self._fresh_line()
        self._dim(text)

    def error(self, text: str) -> None:
        """One line, or as many as it takes."""
        self._quiet()
        self._err.print(Text(f"dap-ai: {_clean(text)}", style="red"), soft_wrap=True)

    def close(self) -> None:
        """Leaves no spinner behind."""
        self._quiet()

    def _answer(self, text: str) -> None:
        if not text:
            return
        self._answered = True
        if self._render:
            self._print_blocks(self._blocks.feed(text))
        else:
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
        for line in _clean(text).splitlines():
            self._err.print(Text(line, style="dim"), soft_wrap=not self._err.is_terminal)

    def _fresh_line(self) -> None:
        """Leaves the line that the program has begun: as many spaces as a line has wrap, unless it is empty."""
        if self._err.is_terminal and not self._err.is_dumb_terminal:
            self._err.file.write(" " * self._err.width + "\r")
            self._err.file.flush()

    def _quiet(self) -> None:
        if self._spinner:
            self._spinner.stop()
            self._spinner = None


def _clean(text: str) -> str:
    return _CONTROL.sub("�", text)


def _trimmed(lines: list[list[Segment]]) -> list[Segment]:
    """A block's lines without the empty ones around it, and one empty line after it."""
    while lines and not _text(lines[0]).strip():
        lines = lines[1:]
    while lines and not _text(lines[-1]).strip():
        lines = lines[:-1]
    return [segment for line in lines for segment in (*_without_padding(line), Segment.line())] + [Segment.line()]


def _without_padding(line: list[Segment]) -> list[Segment]:
    """Spaces that only fill the line's width would be copied with it."""
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], Segment(line[-1].text.rstrip(), line[-1].style)] if line else []


def _text(line: list[Segment]) -> str:
    return "".join(segment.text for segment in line)


def _step(step: ToolStep) -> str:
    return _one_line(f"· {step.call or step.name}" + (f" -> {step.result}" if step.result.strip() else ""))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _cost(ended: AskEnded) -> str:
    usage = ended.usage
    parts = [usage.provider, usage.model, f"{usage.tool_calls} steps", f"{usage.seconds:.2f} s"]
    if usage.model_calls:
        parts.insert(3, f"{usage.input_tokens} + {usage.output_tokens} tokens, ${usage.cost_usd:.4f}")
    return " · ".join(part for part in parts if part)

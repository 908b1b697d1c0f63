"""Displays an answer as it grows, as one Markdown display in a notebook or as text in a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_EVERY_S = 0.1
"""Seconds between two updates of a display, because each update sends the whole text."""
Name = Callable[[str], str]
"""A function that replaces the file names of cells in a text with names such as `In [7]`."""


class AnswerDisplay:
    """The display of one answer; this base class shows nothing."""

    def status(self, text: str) -> None:
        """Shows the current activity until more of the answer arrives."""

    def add(self, text: str) -> None:
        """Appends a piece of Markdown."""

    def end(self, ended: dict[str, Any] | None = None) -> None:
        """Ends the answer. `ended`: the body of `askEnded`, if a question was sent."""


class NotebookAnswer(AnswerDisplay):
    """An answer as Markdown in the cell's output, replaced as it grows."""

    def __init__(self, name: Name, *, verbose: bool) -> None:
        self._name, self._verbose = name, verbose
        self._text = self._doing = ""
        self._last: str = ""
        self._handle: Any = None
        self._sent = 0.0

    def status(self, text: str) -> None:
        """Shows the status in italics below the answer so far."""
        self._doing = text
        self._send()

    def add(self, text: str) -> None:
        """Appends text, and sends it at once if it is the first text or the last update was long enough ago."""
        is_first = not self._text
        self._text, self._doing = self._text + text, ""
        self._send(at_once=is_first)

    def end(self, ended: dict[str, Any] | None = None) -> None:
        """Shows the whole answer, with its evidence folded unless `verbose` is set."""
        self._doing = ""
        if ended and not self._verbose:
            from dap_ai.debuggees.python.hosts.notebook.folds import folded  # noqa: PLC0415  needed only for an answer

            answer = ended["answer"].strip()
            if "report" in ended and answer in self._text:
                self._text = self._text.replace(answer, folded(ended["report"]["sections"]))
        self._send(at_once=True)
        if ended and ended.get("path"):
            self._picture(ended["path"])

    def _picture(self, told: list[dict[str, Any]]) -> None:
        """Draws where the value in question came from, below the answer."""
        from importlib import import_module  # noqa: PLC0415  not without IPython

        import msgspec  # noqa: PLC0415  needed only for an answer

        from dap_ai.commands.display.path_line import chain  # noqa: PLC0415  as above
        from dap_ai.debuggees.python.hosts.notebook.path_picture import picture  # noqa: PLC0415  as above
        from dap_ai.protocol.wire.value_path import PathNode  # noqa: PLC0415  as above

        path = msgspec.convert(told, list[PathNode])
        if text := self._name(chain(path)):
            svg = picture(path, self._name, f"The path of the value: {text}")
            display: Any = import_module("IPython.display")
            display.display({"image/svg+xml": svg, "text/plain": text}, raw=True)

    def _send(self, *, at_once: bool = False) -> None:
        from importlib import import_module  # noqa: PLC0415  not without IPython

        display: Any = import_module("IPython.display")

        now = time.monotonic()
        if self._handle and not at_once and now - self._sent < _EVERY_S:
            return
        doing = f"\n\n*{self._doing} …*" if self._doing else ""
        text = self._name((self._text + doing).strip())
        if text == self._last:
            return
        shown: Any = display.Markdown(text)
        self._sent, self._last = now, text
        if self._handle:
            self._handle.update(shown)
        else:
            self._handle = display.display(shown, display_id=True)


class TerminalAnswer(AnswerDisplay):
    """An answer rendered by rich, block by block; output that is not a terminal gets plain Markdown."""

    def __init__(self, name: Name, *, verbose: bool) -> None:
        from dap_ai.commands.display.markdown_blocks import Blocks  # noqa: PLC0415  not in a notebook
        from dap_ai.commands.display.rendering import TerminalDisplay  # noqa: PLC0415  rich is slow to import
        from dap_ai.commands.display.settings_table import resolve  # noqa: PLC0415  as above

        self._name = name
        self._text = ""
        self._blocks = Blocks()
        self._display = TerminalDisplay(resolve({}).settings, verbose=verbose)

    def status(self, text: str) -> None:
        """Shows a spinner."""
        named: Any = self._name(text)
        self._display.waiting(named)

    def add(self, text: str) -> None:
        """Prints each block as soon as the block is complete, so that no cell name in it is cut."""
        self._text += text
        self._print(self._blocks.feed(text))

    def end(self, ended: dict[str, Any] | None = None) -> None:
        """Removes the spinner, and prints the answer's cost and what the answer left out."""
        import msgspec  # noqa: PLC0415  as above

        from dap_ai.protocol.wire.ask_messages import AskEnded  # noqa: PLC0415  as above

        self._print(self._blocks.end())
        if ended:
            for section in ended.get("report", {}).get("sections", []):
                section["text"] = self._name(section["text"])
            self._display.ask_ended(msgspec.convert(ended, AskEnded))
        elif not self._display.shows_pieces:
            named: Any = self._name(self._text)
            self._display.markdown(named)
        self._display.close()

    def _print(self, blocks: list[str]) -> None:
        from dap_ai.protocol.wire.ask_messages import AskOutput  # noqa: PLC0415  as above

        for block in blocks:
            named: Any = self._name(block) + "\n\n"
            self._display.ask_output(AskOutput("", "answer", named))

"""Sends a notebook's questions to the answering process, and keeps the last answer for `%fix`."""

from __future__ import annotations

import atexit
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dap_ai.debuggees.python.hosts import post_mortem_api
from dap_ai.debuggees.python.hosts.answer_process import AnswerProcess, NoAnswerError
from dap_ai.debuggees.python.hosts.notebook.answer_display import AnswerDisplay, NotebookAnswer, TerminalAnswer
from dap_ai.debuggees.python.hosts.notebook.cell_files import CellFiles
from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell, CellHistory

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.post_mortem.post_mortem_server import Server

T = TypeVar("T")
_HOSTS = ("IPython", "ipykernel", "ipyflow", "pyccolo")
_HOLD = "dap_ai holds here"


class CellQuestions:
    """Asks the questions of one shell. Call `close` at the end; Python's exit calls it too.

    Raises OSError on unsupported platforms.
    """

    def __init__(self, shell: Any, cells: CellHistory) -> None:
        self._shell, self._cells = shell, cells
        self._files = CellFiles(shell)
        self._answerer = AnswerProcess({"backend": "debugpy", "level": "compute"})
        self._pid = os.getpid()
        self._kept: tuple[BaseException, dict[str, Any]] | None = None
        atexit.register(self.close)

    def start(self) -> None:
        """Starts the answering process early, because a question is likely."""
        self._answerer.start()

    def shown(self, *, verbose: bool = False) -> AnswerDisplay:
        """Returns the display for the next answer. `verbose`: shows the evidence unfolded."""
        where = NotebookAnswer if hasattr(self._shell, "kernel") else TerminalAnswer
        return where(self._cells.named, verbose=verbose)

    def about(self, exc: BaseException, question: str, shown: AnswerDisplay) -> dict[str, Any] | None:
        """Asks about an exception; returns the body of `askEnded`.

        Displays the reason and returns None if no answer was made.
        """
        ended = self._asked(_of_exception(exc), question, shown)
        if ended and (not question or ended["fixes"]):
            self._kept = exc, ended
        return ended

    def kept(self, exc: BaseException) -> dict[str, Any] | None:
        """Returns the last answer if it was about this exception, otherwise None."""
        return self._kept[1] if self._kept and self._kept[0] is exc else None

    def after(self, cell: Cell, question: str, shown: AnswerDisplay) -> dict[str, Any] | None:
        """Asks about the namespace after a cell; returns the body of `askEnded`, or None without an answer."""
        last = max(1, len(cell.source.rstrip().splitlines()))
        return _after(
            self._cells.path_of(cell), last, self._shell.user_ns, lambda server: self._asked(server, question, shown)
        )

    def _asked(self, server: Server, question: str, shown: AnswerDisplay) -> dict[str, Any] | None:
        self._files.write(list(self._cells.numbers))

        def on_output(said: Any) -> None:
            if said["category"] == "answer":
                shown.add(said["output"])
            elif said["category"] == "status":
                shown.status(said["output"].strip().partition("\n")[0])

        try:
            return dict[str, Any](self._answerer.ask(server, None, question=question, told=on_output))
        except NoAnswerError as error:
            shown.add(f"\n\n*No answer: {error}*")
            return None
        except KeyboardInterrupt:
            shown.add("\n\n*Interrupted.*")
            shown.end()
            raise
        finally:
            self._files.remove()

    def close(self) -> None:
        """Ends the answering process and removes all files. A second call has no effect."""
        atexit.unregister(self.close)
        if os.getpid() == self._pid:
            self._answerer.close()
            self._files.close()


def _of_exception(exc: BaseException) -> Server:
    """Returns a server for the frames of cells and the functions they call, without the frames of IPython itself."""
    hosts = _folders()
    return post_mortem_api.serving(exc, lambda frame: not frame.f_code.co_filename.startswith(hosts))


def _after(path: str, line: int, names: dict[str, Any], ask: Callable[[Server], T]) -> T:
    """Calls `ask` with a server for a frame at a line of a cell's file; returns the result of `ask`.

    `names` are the frame's globals.
    """
    from dap_ai.debuggees.python.hosts.post_mortem import holding  # noqa: PLC0415  only for a question

    got: list[T] = []

    def hold() -> None:
        frame = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  its documented name
        got.append(ask(holding.standing(frame, lambda each: each is frame)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a call of a string, which is replaced below
        code = compile("\n" * (line - 1) + f"{_HOLD!r}()", path, "exec")
    exec(code.replace(co_consts=tuple(hold if c == _HOLD else c for c in code.co_consts)), names)  # noqa: S102
    return got[0]


def _folders() -> tuple[str, ...]:
    """Returns the folders of the packages that run cells, each with a trailing separator."""
    modules: Sequence[Any] = [sys.modules[name] for name in _HOSTS if name in sys.modules]
    return tuple(os.path.dirname(m.__file__) + os.sep for m in modules if m.__file__)  # noqa: PTH120

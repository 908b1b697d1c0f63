"""The IPython magics `%why`, `%ask`, `%trace`, `%slice` and `%fix`."""

# pyright: reportUntypedClassDecorator=false, reportUntypedFunctionDecorator=false, reportUntypedBaseClass=false
# IPython's decorators have no types.

from __future__ import annotations

import re
import sys
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics as Base
from IPython.core.magic import line_magic, magics_class, no_var_expand

from dap_ai.debuggees.python.hosts.notebook.answer_display import AnswerDisplay
from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell, CellHistory, outermost
from dap_ai.debuggees.python.hosts.notebook.cell_questions import CellQuestions
from dap_ai.debuggees.python.hosts.notebook.folds import advice_of
from dap_ai.debuggees.python.hosts.notebook.provenance import Provenance
from dap_ai.system.apply_diff import CannotMend, mended
from dap_ai.system.texts import code

_NO_ERROR = "No cell has failed here: `%ask` answers about values, `%slice NAME` shows the code that made one."

_EXPRESSION = re.compile(r"\w[(\[]|\w\.\w|\w [-+*/%<>=]+ \w")
"""Matches a question that contains an expression, not only names, so that it is evaluated in a copy."""

_KNOWN = "The code of a notebook that made it, by cell, in order of execution:"
"""The heading above the code of other cells in a prompt; otherwise a model sees only the last cell."""


@magics_class
class Magics(Base):
    """IPython magics that answer questions about executed cells. Each answer is Markdown that grows."""

    def __init__(self, shell: Any) -> None:
        base: Any = super()
        base.__init__(shell)
        self._shell = shell
        self._cells = CellHistory(shell)
        self._cells.learn(getattr(sys, "last_value", None))
        self._asking = CellQuestions(shell, self._cells)
        self._provenance = Provenance(shell, self._cells)
        if self._failure():
            self._asking.start()

    def after_cell(self, result: Any) -> None:
        """Records the cell that ran, and starts the answering process if the cell failed; handles `post_run_cell`."""
        self._cells.note(result)
        if not result.success:
            self._asking.start()

    def close(self) -> None:
        """Ends the answering process and removes all files."""
        self._asking.close()

    @no_var_expand
    @line_magic
    def why(self, line: str) -> None:
        """`%why [-v] [QUESTION]` explains why the last failed cell failed, or answers a question about that failure.

        `-v` shows all the evidence. If no cell failed, `%why` works like `%ask` and asks about the result of the last
        cell.
        """
        verbose, line = _flagged(line)
        exc = self._failure()
        if exc is None:
            self._ask(line or "why is this cell's result wrong?")
            return
        number, at = outermost(exc.__traceback__, self._cells)
        shown = self._asking.shown(verbose=verbose)
        shown.status(
            f"{type(exc).__name__} at {code(f'In [{number}]:{at}')}: looking at it" if number else "looking at it"
        )
        last = self._last()
        if last and number and last.number > number and not last.failed_at:
            shown.add(f"*{code(last.name)} went well; this is about {code(f'In [{number}]')}.*\n\n")
        ended = self._asking.about(exc, line, shown)
        if number and not line and (made := self._provenance.of_failure(number, at)):
            shown.add(f"\n\n**From other cells.**\n\n{made}\n")
        shown.end(ended)

    @no_var_expand
    @line_magic
    def ask(self, line: str) -> None:
        """`%ask QUESTION` answers a question about the current values, such as `%ask why is total negative?`."""
        if not line.strip():
            raise UsageError("%ask: a question is wanted, such as `%ask why is total negative?`")
        self._ask(line)

    def _ask(self, line: str) -> None:
        cell, shown = self._last(), self._asking.shown()
        if cell is None:
            raise UsageError("%ask: no cell has run yet")
        shown.status("looking at the notebook")
        names = self._provenance.asked_about(line) or self._provenance.results_of(cell, line)
        slices = [self._provenance.slice_markdown(name) for name in names]
        for text in slices:
            shown.add(text + "\n\n")
        ended = None
        if not self._provenance.is_offline:
            known = "\n\n".join([_KNOWN, *slices]) if slices else ""
            ended = self._asking.after(cell, f"{line.strip()}\n\n{known}".strip(), shown)
        elif _EXPRESSION.search(line):
            ended = self._asking.after(cell, line.strip(), shown)
        elif not names:
            shown.add(self._provenance.overview())
        shown.end(ended)

    @no_var_expand
    @line_magic
    def trace(self, line: str) -> None:
        """`%trace EXPRESSION` evaluates an expression in a copy of the kernel and shows each call."""
        cell, shown = self._last(), self._asking.shown()
        if not line.strip() or cell is None:
            raise UsageError("%trace: an expression is wanted, such as `%trace mean([1, 2])`")
        shown.status(f"running {code(line.strip())} in a copy of the kernel")
        shown.end(self._asking.after(cell, f"trace {line.strip()}", shown))

    @no_var_expand
    @line_magic
    def slice(self, line: str) -> None:
        """`%slice NAME` shows the code that made a value, cell by cell, in the order the cells ran."""
        name = line.strip().strip("`")
        if not name.isidentifier():
            raise UsageError("%slice: the name of a value is wanted, such as `%slice df`")
        shown = self._asking.shown()
        shown.add(self._provenance.slice_markdown(name))
        shown.end()

    @no_var_expand
    @line_magic
    def fix(self, line: str) -> None:
        """`%fix [--apply]` shows a fix for the last failure; `--apply` puts the fixed cell into the next input."""
        if line.strip() not in ("", "--apply"):
            raise UsageError("%fix: `%fix` shows what would mend the last failure, `%fix --apply` puts it below")
        exc, shown = self._failure(), self._asking.shown()
        if exc is None:
            shown.add(_NO_ERROR)
        else:
            shown.add(self._fixed(exc, apply=bool(line.strip())))
        shown.end()

    def _fixed(self, exc: BaseException, *, apply: bool) -> str:
        ended = self._asking.kept(exc)
        if ended is None:
            ended = self._asking.about(exc, "", AnswerDisplay())
        fixes: list[dict[str, Any]] = ended["fixes"] if ended else []
        if not fixes:
            return (
                f"No change is proposed. {advice_of(ended['report']['sections'])}"
                if ended
                else "The failure could not be asked about."
            )
        fix = fixes[0]
        result = "It was verified: " if fix["verified"] else "It was not verified by a run of the whole: "
        parts = [f"```diff\n{fix['diff'].strip()}\n```", f"{result}{fix['result'] or fix['check'] or 'no check ran'}."]
        return "\n\n".join([*parts, self._applied(fix) if apply else "`%fix --apply` puts the mended cell below."])

    def _applied(self, fix: dict[str, Any]) -> str:
        number = self._cells.number_of(fix["file"])
        cell = next((cell for cell in self._cells.all() if cell.number == number), None)
        if cell is None:
            return f"{code(fix['file'])} is no cell: change it there."
        try:
            text = mended(cell.raw, fix["diff"])
        except CannotMend as error:
            return f"It cannot be put below: {error}. The code that ran may have been a magic, translated."
        self._shell.set_next_input(text)
        return f"The mended {code(cell.name)} is the next input: nothing has run yet."

    def _failure(self) -> BaseException | None:
        return getattr(sys, "last_value", None)

    def _last(self) -> Cell | None:
        """Returns the last cell that contains more than line magics, or None."""
        own = self._cells.own()
        return own[-1] if own else None


def _flagged(line: str) -> tuple[bool, str]:
    """Returns whether the line begins with `-v`, and the rest of the line."""
    first, _, rest = line.strip().partition(" ")
    return (True, rest.strip()) if first == "-v" else (False, line.strip())

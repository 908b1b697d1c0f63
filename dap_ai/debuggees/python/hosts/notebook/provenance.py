"""Finds the cells that the values of a notebook's namespace come from."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell, CellHistory
from dap_ai.debuggees.python.hosts.notebook.cell_statements import CellStatement, steps_of
from dap_ai.debuggees.python.hosts.notebook.object_aliases import Sharing, sharing
from dap_ai.debuggees.python.hosts.notebook.slice_markdown import Since, slice_markdown
from dap_ai.debuggees.python.hosts.notebook.slices import CellSlice, slice_of
from dap_ai.debuggees.python.hosts.post_mortem.variable_requests import VariableRequests
from dap_ai.debuggees.python.inspector.stored.statics import forget
from dap_ai.settings import configuration
from dap_ai.system.texts import code

_MAX_VALUE = 120
_MAX_NAMES = 3
_MAX_ROWS = 30
_WORD = re.compile(r"[^\W\d]\w*")
_RESULT = re.compile(r"\b(cell|result|output|value)s?\b", re.IGNORECASE)
_MAX_BYTES = 50_000_000


class Provenance:
    """Answers where the values of one shell's namespace come from."""

    def __init__(self, shell: Any, cells: CellHistory) -> None:
        self._shell, self._cells = shell, cells

    @property
    def is_offline(self) -> bool:
        """Whether questions are answered without a model, according to the settings."""
        try:
            settings = configuration.load(Path.cwd(), {}, os.environ).settings
        except configuration.ConfigError:
            return True
        return configuration.provider_of(settings, os.environ) == "offline"

    def slice_markdown(self, name: str) -> str:
        """Returns the slice of a name, the code that its value came from, as Markdown."""
        steps = self._steps()
        bound = {bound for step in steps for bound in step.binds}
        shared = sharing(name, bound, self._shell.user_ns)
        found = slice_of(name, steps, same=shared.same)
        text = slice_markdown(found, steps, self._since(), self._value) + _by_holders(found, steps, shared)
        dynamic = dynamic_slice(name)
        if not dynamic or _code(dynamic) == _code("\n".join(steps[k].text for k in found.picked)):
            return text
        return f"{text}\n\nipyflow, which saw it run, has another slice:\n\n```python\n{dynamic}\n```"

    def of_failure(self, number: int, line: int) -> str:
        """Returns the code of other cells that a failing statement used, as Markdown; empty without such code."""
        steps = self._steps()
        whole = steps_of([cell._replace(failed_at=0) for cell in self._cells.all() if cell.number == number])
        failing = next((step for step in whole if step.first <= line <= step.last), None)
        before = next((k for k, step in enumerate(steps) if step.cell.number >= number), len(steps))
        end = next((k for k, s in enumerate(steps) if s.cell.number > number), len(steps))
        names = sorted(failing.uses) if failing else []
        found = slice_of(names, steps, before=end)
        found.picked = [k for k in found.picked if k < before]
        if all(isinstance(steps[k].node, ast.Import | ast.ImportFrom) for k in found.picked):
            return ""
        return slice_markdown(found, steps, self._since(), self._value).partition("\n\n")[2]

    def asked_about(self, question: str) -> list[str]:
        """Returns the names in the question that cells have bound."""
        bound = {name for step in self._steps() for name in step.binds}
        return list(dict.fromkeys(word for word in _WORD.findall(question) if word in bound))[:_MAX_NAMES]

    def results_of(self, cell: Cell, question: str) -> list[str]:
        """Returns the names that the cell's last statement binds, or uses if it binds no name.

        Empty unless the question asks about a result.
        """
        steps = [step for step in self._steps() if step.cell.number == cell.number]
        if not steps or not _RESULT.search(question):
            return []
        known = {name for step in self._steps() for name in step.binds}
        names = steps[-1].binds or {n for n in steps[-1].uses & known if not callable(self._shell.user_ns.get(n))}
        return sorted(names)[:_MAX_NAMES]

    def overview(self) -> str:
        """Returns the existing values that cells have bound, as a Markdown list."""
        made = {name: step for step in self._steps() for name in sorted(step.binds)}
        rows = [
            f"- {code(name)} = {code(self._value(name))} ({code(step.cell.name)})"
            for name, step in list(made.items())[-_MAX_ROWS:]
            if name in self._shell.user_ns and not isinstance(step.node, ast.Import | ast.ImportFrom)
        ]
        if not rows:
            return "The cells that ran have bound no name."
        asked = next(reversed(made))
        return "\n".join(
            ["What the cells have made:", "", *rows, "", f"Ask about one: {code(f'%ask why is {asked} so?')}."]
        )

    def _steps(self) -> list[CellStatement]:
        return steps_of(self._cells.own())

    def _since(self) -> Since:
        return Since(self._cells.all(), self._cells.deleted, saved_cells(self._shell.user_ns))

    def _value(self, name: str) -> str:
        """The current value of a name as text, read without running code of the program."""
        if name not in self._shell.user_ns:
            return ""
        try:
            text: str = VariableRequests().shown(self._shell.user_ns[name])["value"]
        finally:
            forget()
        text = " ".join(text.split()).replace("`", "'")
        return text if len(text) <= _MAX_VALUE else text[: _MAX_VALUE - 1] + "…"


def _by_holders(found: CellSlice, steps: Sequence[CellStatement], shared: Sharing) -> str:
    """Returns a note that containers of the object were changed, because the slice does not follow such changes."""
    if found.made is None:
        return ""
    changed = {name for step in steps[found.made :] for name in step.changes} & shared.holders
    if not changed:
        return ""
    names = " and ".join(f"{code(name)}" for name in sorted(changed))
    verb = "holds" if len(changed) == 1 else "hold"
    return f"\n\n- {names} {verb} this object, too: what has changed it by that way is not told here."


def _code(text: str) -> str:
    """Returns a text's syntax tree as text, to compare code without comments and layout."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return text


def dynamic_slice(name: str) -> str:
    """Returns the code behind a name's value according to the package ipyflow; empty if ipyflow knows no such code."""
    flow: Any = getattr(sys.modules.get("ipyflow"), "flow", None)
    if flow is None:
        return ""
    try:
        symbol = flow().global_scope.lookup_symbol_by_name(name)
        text = str(symbol.code(format_type=str)).strip() if symbol is not None else ""
        return re.sub(r"^# Cell (\d+)$", r"# In [\1]", text, flags=re.MULTILINE)
    except Exception:  # noqa: BLE001  another package's internals may change: our slice is shown anyway
        return ""


def saved_cells(names: Mapping[str, Any]) -> dict[str, str] | None:
    """Returns the saved source of code cells by cell id, in file order.

    None if the file is unknown or its cells have no ids. `names` is the user's namespace. VS Code stores the file's
    name there; Jupyter's server stores it in the environment.
    """
    path = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or ""
    if not isinstance(path, str) or not path.endswith(".ipynb"):
        return None
    try:
        if os.stat(path).st_size > _MAX_BYTES:  # noqa: PTH116  the name may be anything
            return None
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            cells: list[dict[str, Any]] = json.load(file)["cells"]
        rows = [(c["id"], c["source"]) for c in cells if c.get("cell_type") == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return {cell_id: text if isinstance(text, str) else "".join(text) for cell_id, text in rows}

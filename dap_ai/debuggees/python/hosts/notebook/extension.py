"""Registers the notebook's magics (`%why`, `%ask`, ...) in a shell, and removes them again."""

from __future__ import annotations

import re
from typing import Any

from dap_ai.debuggees.python.hosts import post_mortem_api

_QUESTION = re.compile(r"\A(\s*)%(why|ask)[ \t]+(\S.*\?)[ \t]*\n?\Z")
_loaded: dict[int, Any] = {}
"""The registered magics, by the id of their shell."""
_watches: dict[int, Any] = {}
"""The raise watches, which capture values at each raise, by the id of their shell."""


def load(shell: Any) -> None:
    """Registers the magics for `%load_ext dap_ai`; a second call has no effect.

    Raises OSError on unsupported platforms.
    """
    from dap_ai.debuggees.python.hosts.notebook.magics import Magics  # noqa: PLC0415  it needs IPython

    if id(shell) in _loaded:
        return
    magics: Any = Magics(shell)  # first: it gives cells file names, by which they count as the user's
    raises = post_mortem_api.watch_raises(post_mortem_api.later)
    shell.register_magics(magics)
    shell.input_transformers_cleanup.append(questions)
    shell.events.register("post_run_cell", magics.after_cell)
    _loaded[id(shell)], _watches[id(shell)] = magics, raises


def unload(shell: Any) -> None:
    """Removes the magics for `%unload_ext dap_ai`, ends the answering process and removes its files."""
    magics = _loaded.pop(id(shell), None)
    if magics is None:
        return
    _watches.pop(id(shell)).end()
    shell.input_transformers_cleanup.remove(questions)
    shell.events.unregister("post_run_cell", magics.after_cell)
    for name in magics.magics["line"]:
        shell.magics_manager.magics["line"].pop(name, None)
    magics.close()


def questions(lines: list[str]) -> list[str]:
    """Returns a cell's lines with `%why ...?` and `%ask ...?` as calls of the magics.

    IPython would take the `?` as a request for help.
    """
    return [_QUESTION.sub(_called, line) if "?" in line else line for line in lines]


def _called(found: re.Match[str]) -> str:
    return f"{found[1]}get_ipython().run_line_magic({found[2]!r}, {found[3]!r})\n"

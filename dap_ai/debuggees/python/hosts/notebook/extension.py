"""Puts the magics into a shell, and takes them out again."""

from __future__ import annotations

import re
from typing import Any

from dap_ai.debuggees.python.hosts import post_mortem_api

_QUESTION = re.compile(r"\A(\s*)%(why|ask)[ \t]+(\S.*\?)[ \t]*\n?\Z")
_loaded: dict[int, Any] = {}
"""By the id of a shell, of which a process has one, seldom two."""
_watches: dict[int, Any] = {}
"""What captures values at each raise, by the same id."""


def load(shell: Any) -> None:
    """`%load_ext dap_ai`; a second time changes nothing. Raises OSError: not on this platform."""
    from dap_ai.debuggees.python.hosts.notebook.magics import Magics  # noqa: PLC0415  it needs IPython

    if id(shell) in _loaded:
        return
    magics: Any = Magics(shell)  # first: it gives cells the names of files, by which they are known as the user's
    raises = post_mortem_api.watch_raises(post_mortem_api.later)
    shell.register_magics(magics)
    shell.input_transformers_cleanup.append(questions)
    shell.events.register("post_run_cell", magics.after_cell)
    _loaded[id(shell)], _watches[id(shell)] = magics, raises


def unload(shell: Any) -> None:
    """`%unload_ext dap_ai`: no process and no file of ours is left."""
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
    """The lines of a cell, where what ends in `?` is a question to us and no request for IPython's help."""
    return [_QUESTION.sub(_called, line) if "?" in line else line for line in lines]


def _called(found: re.Match[str]) -> str:
    return f"{found[1]}get_ipython().run_line_magic({found[2]!r}, {found[3]!r})\n"

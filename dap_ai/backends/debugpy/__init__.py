"""The recipe for Python programs, through debugpy.

It chooses the interpreter and the copy of debugpy that runs in it (`interpreters.py`, `environments.py`), starts the
adapter without debugpy's 44 ms per response (`shim.py`), attaches to a process by its id, and follows child Pythons,
forks and processes that `exec` replaces. The greeting, sent before the program starts, brings in what is registered
for `dap_ai.access`: inspector and snapshots are a kind's, and are not imported here.

`backend` is loaded when it is used: who imports another module of this folder pays nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.backends.debugpy.recipe import DebugpyBackend

    backend: DebugpyBackend


def __getattr__(name: str) -> Any:
    """`backend`, the entry point `dap_ai.backends: debugpy`: who imports another module pays nothing for it."""
    if name != "backend":
        raise AttributeError(name)
    from dap_ai.backends.debugpy.recipe import DebugpyBackend  # noqa: PLC0415  see above

    globals()["backend"] = DebugpyBackend()
    return globals()["backend"]

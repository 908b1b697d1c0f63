"""The recipe for Python programs, through debugpy.

It chooses the interpreter and the copy of debugpy that runs in it (`interpreters.py`, `environments.py`), starts the
adapter without debugpy's delay of 44 ms per response (`shim.py`), attaches to a process by its id, and follows child
Pythons, forks and processes replaced by `exec`. A request sent before the program starts (`greeting`) installs the code
that is registered under `dap_ai.access`. Inspector and snapshots belong to a kind of debuggee, and are not imported
here.

`backend` is loaded on first use, so that importing another module of this folder stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.backends.debugpy.recipe import DebugpyBackend

    backend: DebugpyBackend


def __getattr__(name: str) -> Any:
    """Load `backend`, the entry point `dap_ai.backends: debugpy`, on first use."""
    if name != "backend":
        raise AttributeError(name)
    from dap_ai.backends.debugpy.recipe import DebugpyBackend  # noqa: PLC0415  see above

    globals()["backend"] = DebugpyBackend()
    return globals()["backend"]

"""Python programs, through debugpy."""

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

"""dap_ai: a Debug Adapter Protocol proxy that answers questions about the stopped program.

In a notebook or IPython: `%load_ext dap_ai`.
In a program: `dap_ai.post_mortem()` in an `except` block, `PYTHONBREAKPOINT=dap_ai.breakpoint`, `dap_ai.install()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.post_mortem_api import breakpoint, hold, install, post_mortem  # noqa: A004  as PYTHONBREAKPOINT has it

__all__ = ["__version__", "breakpoint", "hold", "install", "post_mortem"]
__version__ = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext dap_ai`."""
    _extension().load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext dap_ai`."""
    _extension().unload(shell)


def _extension() -> Any:
    """By its name: whoever imports dap_ai imports nothing of it."""
    from importlib import import_module  # noqa: PLC0415  see below

    return import_module("dap_ai.debuggees.python.hosts.notebook.extension")


def __getattr__(name: str) -> Any:
    """Nothing is imported before it is used."""
    if name not in __all__:
        raise AttributeError(f"module 'dap_ai' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  see above

    return getattr(import_module("dap_ai.debuggees.python.hosts.post_mortem_api"), name)

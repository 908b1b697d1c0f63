"""dap_ai: a Debug Adapter Protocol proxy that answers questions about the stopped program.

In a notebook or IPython: `%load_ext dap_ai`.
In a program: `dap_ai.post_mortem()` in an `except` block, `PYTHONBREAKPOINT=dap_ai.breakpoint`, `dap_ai.install()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.post_mortem_api import breakpoint, hold, install, post_mortem  # noqa: A004  the name that PYTHONBREAKPOINT needs

__all__ = ["__version__", "breakpoint", "hold", "install", "post_mortem"]
__version__ = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """Start the extension when IPython runs `%load_ext dap_ai`."""
    _extension().load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Stop the extension when IPython runs `%unload_ext dap_ai`."""
    _extension().unload(shell)


def _extension() -> Any:
    """Import and return the IPython extension module. A plain `import dap_ai` does not import it."""
    from importlib import import_module  # noqa: PLC0415  imported on first use

    return import_module("dap_ai.debuggees.python.hosts.notebook.extension")


def __getattr__(name: str) -> Any:
    """Return a name of the post-mortem API, importing that module on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'dap_ai' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  imported on first use

    return getattr(import_module("dap_ai.debuggees.python.hosts.post_mortem_api"), name)

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
    """Load the IPython extension: `%load_ext dap_ai`."""
    _extension().load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Unload the IPython extension: `%unload_ext dap_ai`."""
    _extension().unload(shell)


def _extension() -> Any:
    """Import the IPython extension when it is first needed, so that `import dap_ai` imports nothing else."""
    from importlib import import_module  # noqa: PLC0415  imported on first use

    return import_module("dap_ai.debuggees.python.hosts.notebook.extension")


def __getattr__(name: str) -> Any:
    """Import the post-mortem API when one of its names is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'dap_ai' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  imported on first use

    return getattr(import_module("dap_ai.debuggees.python.hosts.post_mortem_api"), name)

"""dap_ai: a Debug Adapter Protocol proxy that answers questions about the stopped program.

In a program: `dap_ai.post_mortem()` in an `except` block, `PYTHONBREAKPOINT=dap_ai.breakpoint`, `dap_ai.install()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.held import breakpoint, hold, install, post_mortem  # noqa: A004  as PYTHONBREAKPOINT has it

__all__ = ["__version__", "breakpoint", "hold", "install", "post_mortem"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Nothing is imported before it is used."""
    if name not in __all__:
        raise AttributeError(f"module 'dap_ai' has no attribute '{name}'")
    from dap_ai import held  # noqa: PLC0415  see above

    return getattr(held, name)

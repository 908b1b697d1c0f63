"""Drop-in replacement for the debugger AgentStepper: an instrumented agent imports `dap_ai.stepper` instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dap_ai.debuggees.runs.live.hook.stepper import AgentStepper

__all__ = ["AgentStepper"]


def __getattr__(name: str) -> Any:
    """Return `AgentStepper`, importing its module on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'dap_ai.stepper' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415  imported on first use

    return getattr(import_module("dap_ai.debuggees.runs.live.hook.stepper"), name)

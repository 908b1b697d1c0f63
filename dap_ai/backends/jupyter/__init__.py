"""The backend for Jupyter kernels: our own debug adapter bridges DAP to a running kernel's protocol.

`kernel.py` is the only module that uses jupyter_client; it sends one request at a time, because ipykernel takes the
next response for that of its last request. `bridge.py` decides which requests pass and which are refused, and detects a
debugger that is already attached: a mark on pydevd in the kernel names the bridge that has attached, and a new bridge
takes over from one that no longer runs. The kernel belongs to the notebook: it is released, never ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dap_ai.backends.access import access_to
from dap_ai.backends.debugpy import traceback_reports
from dap_ai.backends.debugpy.recipe import DebugpyBackend
from dap_ai.protocol.contracts.backend import AdapterCommand, AdapterStart, StartError
from dap_ai.system import child_python
from dap_ai.system.extras import JUPYTER

_NO_END = "The kernel is the notebook's: it is let go by `disconnect`, and ended from the notebook."


class JupyterBackend(DebugpyBackend):
    """A Jupyter kernel, read and copied like debugpy's debuggees. See contracts.backend.Backend.

    `kernel`: its connection file, or a part of that name; empty: the newest. `beside`: another debugger has stopped the
    kernel and alone may move it.
    """

    name = "jupyter"
    denied: Mapping[str, str] = {"terminate": _NO_END, "restart": _NO_END}
    runs_beside: frozenset[str] = frozenset()

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """No set-up request (None), because nothing is launched."""
        return None

    runs_again = False

    def __init__(self, kernel: str = "", *, beside: bool = False) -> None:
        self._kernel = kernel
        self._beside = beside

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """The request that installs the injector and the reports of caught exceptions.

        The parts for programs that we start are omitted.
        """
        return "evaluate", {
            "expression": f"({access_to('python').at_start()[0]}, {traceback_reports.INSTALL})",
            "context": "hover",
        }

    def command(self) -> AdapterCommand:
        """Return the command for our bridge. Raises StartError if the extra is not installed."""
        if not JUPYTER.is_installed:
            raise StartError(f"{JUPYTER.install_advice}.")
        beside = ["--beside"] if self._beside else []
        return AdapterCommand(child_python.command("dap_ai.backends.jupyter.__main__:main", *beside, self._kernel), {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Return the arguments of `attach`; the kernel itself knows the address. Raises StartError for a launch."""
        if command == "launch":
            raise StartError("A kernel runs already: use a configuration of request `attach`.")
        ours = {key: arguments[key] for key in ("justMyCode", "showReturnValue", "pathMappings") if key in arguments}
        return AdapterStart({"cwd": str(Path.cwd()), "subProcess": False, **ours})


backend = JupyterBackend()

"""The backend for Jupyter kernels: our own debug adapter bridges DAP to a running kernel's protocol.

`kernel.py` is the only module that uses jupyter_client. It sends one request at a time, because ipykernel takes the
next response for the response to its last request. `bridge.py` decides which requests pass and which are refused, and
detects a debugger that is already attached. A mark on pydevd in the kernel holds the process id of the attached bridge;
a new bridge takes over from a bridge that no longer runs. The kernel belongs to the notebook: dap_ai releases it and
never ends it.
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
    """The backend for a Jupyter kernel; dap_ai reads and copies the kernel like a debugged program.

    `kernel`: its connection file, or a part of that name; empty: the newest kernel. `beside`: another debugger has
    stopped the kernel, and alone may resume it. The methods are described in contracts.backend.Backend.
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
        """The `evaluate` request that injects the code with which dap_ai reads the kernel.

        It also installs the reports of caught exceptions, but not the parts that only a program started by us needs.
        """
        return "evaluate", {
            "expression": f"({access_to('python').at_start()[0]}, {traceback_reports.INSTALL})",
            "context": "hover",
        }

    def command(self) -> AdapterCommand:
        """Return the command that starts our bridge. Raises StartError if the extra is not installed."""
        if not JUPYTER.is_installed:
            raise StartError(f"{JUPYTER.install_advice}.")
        beside = ["--beside"] if self._beside else []
        return AdapterCommand(child_python.command("dap_ai.backends.jupyter.__main__:main", *beside, self._kernel), {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Return the arguments of `attach`, which need no address. Raises StartError for a launch."""
        if command == "launch":
            raise StartError("A kernel runs already: use a configuration of request `attach`.")
        ours = {key: arguments[key] for key in ("justMyCode", "showReturnValue", "pathMappings") if key in arguments}
        return AdapterStart({"cwd": str(Path.cwd()), "subProcess": False, **ours})


backend = JupyterBackend()

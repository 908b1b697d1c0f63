"""Jupyter kernels as debuggees: a debug adapter of ours bridges DAP to what a running kernel understands.

`kernel.py` is the one owner of jupyter_client; its requests go one at a time, because ipykernel takes the next answer
for that of its last request. `bridge.py` decides what passes and what is refused, and whose a debugger is that runs
already: a mark on pydevd in the kernel names the bridge that has attached, and a mark whose bridge is gone is followed.
The kernel belongs to the notebook: it is let go, never ended.
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
    """Read and copied as debugpy's debuggees are. See contracts.backend.Backend.

    `kernel`: its connection file, or a part of its name; empty: the newest. `beside`: another debugger has stopped it,
    which alone moves it.
    """

    name = "jupyter"
    denied: Mapping[str, str] = {"terminate": _NO_END, "restart": _NO_END}
    runs_beside: frozenset[str] = frozenset()

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """None: nothing is launched."""
        return None

    runs_again = False

    def __init__(self, kernel: str = "", *, beside: bool = False) -> None:
        self._kernel = kernel
        self._beside = beside

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """Opens the injector and the ear for what is caught; nothing of how a program of ours is started."""
        return "evaluate", {
            "expression": f"({access_to('python').at_start()[0]}, {traceback_reports.INSTALL})",
            "context": "hover",
        }

    def command(self) -> AdapterCommand:
        """Our bridge. Raises StartError where the extra is not installed."""
        if not JUPYTER.is_installed:
            raise StartError(f"{JUPYTER.install_advice}.")
        beside = ["--beside"] if self._beside else []
        return AdapterCommand(child_python.command("dap_ai.backends.jupyter.__main__:main", *beside, self._kernel), {})

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Whom to attach to, the kernel says. Raises StartError."""
        if command == "launch":
            raise StartError("A kernel runs already: use a configuration of request `attach`.")
        ours = {key: arguments[key] for key in ("justMyCode", "showReturnValue", "pathMappings") if key in arguments}
        return AdapterStart({"cwd": str(Path.cwd()), "subProcess": False, **ours})


backend = JupyterBackend()

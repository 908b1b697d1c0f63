"""The backend for debugpy: how to start it without its delay of 44 ms, and which requests it must never get.

The rules for debugpy are the class attributes (see contracts.backend.BackendRules).
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from dap_ai.backends.access import access_to
from dap_ai.backends.debugpy import (
    attach,
    child_pythons,
    debugpy_launcher,
    forks,
    generated,
    interpreters,
    port_guard,
    traceback_reports,
    tracebacks,
)
from dap_ai.protocol.contracts.backend import (
    AdapterCommand,
    AdapterStart,
    Backend,
    SnapshotService,
    StartError,
    StopInspector,
)
from dap_ai.system import child_python

_NODELAY = "__import__('pydevd').get_global_debugger().writer.sock.setsockopt(6, 1, 1)"
"""Sets TCP_NODELAY on pydevd's own socket; without a frameId debugpy evaluates it at any time, in its own frame."""


class DebugpyBackend(Backend):
    """The backend for Python programs. Stateless; see dap_ai.protocol.contracts.backend.Backend."""

    name = "debugpy"
    wedged_while_running = frozenset({"exceptionInfo", "continue"})
    runs_again = sys.platform == "linux"
    runs_beside = frozenset(
        {
            *("python", "pythonPath", "pythonArgs", "debugpyArgs"),
            *("debugLauncherPython", "debugLauncherPath", "debugAdapterPython", "debugAdapterPath"),
        }
    )

    @property
    def terminal_setup(self) -> tuple[str, dict[str, Any]] | None:
        """The request that debugpy evaluates for a program in our terminal; see contracts.backend.Backend."""
        parts = tracebacks.INSTALL, forks.INSTALL, *access_to("python").in_terminal()
        return "evaluate", {"expression": f"({', '.join(parts)})", "context": "hover"}

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """The request that debugpy evaluates before the program runs.

        It disables Nagle's algorithm, installs the injector, reports caught exceptions and shows frames of generated
        code.
        """
        parts = (
            *(_NODELAY, traceback_reports.INSTALL, debugpy_launcher.SPARE, child_pythons.INSTALL, generated.INSTALL),
            *access_to("python").at_start(),
        )
        return "evaluate", {"expression": f"({', '.join(parts)})", "context": "hover"}

    def command(self) -> AdapterCommand:
        """Return the command for the adapter of our debugpy, started through the shim."""
        key = os.urandom(16).hex()
        return AdapterCommand(
            child_python.command("dap_ai.backends.debugpy.shim:main"),
            {port_guard.KEY_ENV: key},
            carries_launched=True,
            key=key,
        )

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Choose the interpreter, the debugpy copy and, for an attach to a port, the address of the adapter."""
        if command == "launch":
            return AdapterStart(await _prepare_launch(arguments))
        connect = _address(arguments)
        if connect is None and arguments.get("processId"):
            way = await attach.choose(arguments["processId"])
            words = [*arguments.get("debugpyArgs", ()), *way.arguments]
            return AdapterStart(arguments | {"debugpyArgs": words}, note=way.note)
        return AdapterStart(arguments, connect)

    def warm(self) -> None:
        """Prepare in advance the code that is sent to a debuggee."""
        access_to("python").warm()

    def inspector(self) -> StopInspector:
        """Return a static inspector for one session."""
        return access_to("python").inspector()

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return the service that makes locked copies of one session's debuggee."""
        return access_to("python").snapshots(readable)

    def default_python(self, cwd: str) -> str:
        """Return the interpreter for a program in `cwd`; see interpreters.default_python."""
        return interpreters.default_python(cwd)


async def _prepare_launch(arguments: dict[str, Any]) -> dict[str, Any]:
    key = "pythonPath" if "pythonPath" in arguments and "python" not in arguments else "python"
    chosen = arguments.get(key)
    words = [chosen] if isinstance(chosen, str) and chosen else list(chosen or ())
    cwd = arguments.get("cwd") or str(Path(arguments.get("program") or ".").parent)
    python = str(words[0]) if words else interpreters.default_python(str(cwd))
    try:
        interpreter = await interpreters.describe(python)
        folder = interpreters.debugpy_for(interpreter, _our_debugpy())
    except interpreters.InterpreterError as error:
        raise StartError(str(error)) from error
    prepared = arguments | {key: [python, *words[1:]]}
    if folder != _our_debugpy():
        prepared.setdefault("debugLauncherPath", str(Path(folder) / "launcher"))
    return prepared


def _our_debugpy() -> str:
    """Return debugpy's package folder without importing it, which would cost an idle proxy 50 ms."""
    spec = importlib.util.find_spec("debugpy")
    if spec is None or not spec.submodule_search_locations:
        raise StartError(f"debugpy is not installed beside dap_ai: {sys.executable} -m pip install debugpy")
    return spec.submodule_search_locations[0]


def _address(arguments: dict[str, Any]) -> tuple[str, int] | None:
    """Return the host and port of an attach by port: `connect: {host, port}`, or the older `host` and `port`.

    None: it is not an attach by port. Raises StartError.
    """
    connect: Any = arguments.get("connect")
    if connect is None and "port" in arguments and "listen" not in arguments:
        connect = arguments
    if connect is None:
        return None
    try:
        return str(connect.get("host") or "127.0.0.1"), int(connect["port"])
    except AttributeError as error:
        raise StartError('"connect" must be an object with host and port.') from error
    except (KeyError, TypeError, ValueError) as error:
        raise StartError('attach needs "connect": {"host": ..., "port": ...} with a port number.') from error

"""The backend for debugpy: starts it without its delay of 44 ms, and withholds requests that make it hang.

The class attributes are the rules for debugpy (see contracts.backend.BackendRules).
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
"""An expression that sets TCP_NODELAY on pydevd's socket.

Without a frameId, debugpy evaluates it at any time, in its own frame.
"""


class DebugpyBackend(Backend):
    """The backend for Python programs; stateless. Its interface is contracts.backend.Backend."""

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
        """The `evaluate` request that prepares a program in our terminal before it starts.

        It makes tracebacks and forks behave as without a debugger, and stops the program where it dies.
        """
        parts = tracebacks.INSTALL, forks.INSTALL, *access_to("python").in_terminal()
        return "evaluate", {"expression": f"({', '.join(parts)})", "context": "hover"}

    @property
    def greeting(self) -> tuple[str, dict[str, Any]] | None:
        """The `evaluate` request that the proxy sends before the program runs.

        It disables Nagle's algorithm, injects the code with which dap_ai reads the program, reports caught exceptions
        and shows frames of generated code.
        """
        parts = (
            *(_NODELAY, traceback_reports.INSTALL, debugpy_launcher.SPARE, child_pythons.INSTALL, generated.INSTALL),
            *access_to("python").at_start(),
        )
        return "evaluate", {"expression": f"({', '.join(parts)})", "context": "hover"}

    def command(self) -> AdapterCommand:
        """Return the command that starts the adapter of our debugpy, with our fixes (shim.py)."""
        key = os.urandom(16).hex()
        return AdapterCommand(
            child_python.command("dap_ai.backends.debugpy.shim:main"),
            {port_guard.KEY_ENV: key},
            carries_launched=True,
            key=key,
        )

    async def prepare(self, command: str, arguments: dict[str, Any]) -> AdapterStart:
        """Add the interpreter and the debugpy copy to launch arguments, or a method of attaching to attach arguments.

        For an attach by port, return the adapter's address too. Raises StartError.
        """
        if command == "launch":
            return AdapterStart(await _prepare_launch(arguments))
        connect = _address(arguments)
        if connect is None and arguments.get("processId"):
            way = await attach.choose(arguments["processId"])
            words = [*arguments.get("debugpyArgs", ()), *way.arguments]
            return AdapterStart(arguments | {"debugpyArgs": words}, note=way.note)
        return AdapterStart(arguments, connect)

    def warm(self) -> None:
        """Prepare the code that is later sent to a debuggee, so that sending it takes less time."""
        access_to("python").warm()

    def inspector(self) -> StopInspector:
        """Return an inspector that reads one session's debuggee at a stop."""
        return access_to("python").inspector()

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService | None:
        """Return the service that makes sandboxed copies (snapshots) of one session's debuggee."""
        return access_to("python").snapshots(readable)

    def default_python(self, cwd: str) -> str:
        """Return the path of the Python interpreter to use for a program in the folder `cwd`."""
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
    """Return the folder of our debugpy package without importing it; the import costs an idle proxy 50 ms."""
    spec = importlib.util.find_spec("debugpy")
    if spec is None or not spec.submodule_search_locations:
        raise StartError(f"debugpy is not installed beside dap_ai: {sys.executable} -m pip install debugpy")
    return spec.submodule_search_locations[0]


def _address(arguments: dict[str, Any]) -> tuple[str, int] | None:
    """Return the host and port of an attach by port; None for other ways of attaching. Raises StartError.

    Accepts `connect: {host, port}`, and the older `host` and `port`.
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

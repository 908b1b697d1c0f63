"""Makes debugpy's adapter attach to a running process by a queued script (queued.py), or else by gdb.

In the adapter (`install`): debugpy waits a minute for a process that it could not enter, and answers "Timed out". Here
the `attach` request fails with the reason as soon as it is known.

In the child process that runs gdb (`inject`): the gdb installed beside dap_ai is preferred (attach.py explains why).
Only that child has the changed PATH, because a debuggee inherits the environment unchanged. If a program gets a signal
while gdb calls a function in it, the call may not return and the program may die, so gdb passes the usual signals to
the program. The code that gdb makes the program run is our entry.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

from dap_ai.backends.debugpy.attaching import entry_folder
from dap_ai.system import child_python, programs

QUEUED_OPTION = "--dap-ai-queued"
"""The option in `debugpyArgs` that precedes the path of the folder in which the program waits for its setup."""
BY_GDB = "--disable-sys-remote-exec"
"""debugpy's option not to use `sys.remote_exec`, with which debugpy would leave a queued script behind."""
_TURN_S = 0.02
_CALM = " ".join(
    f"-iex '{command}'"
    for command in (
        "set confirm off",
        "handle SIGHUP SIGINT SIGQUIT SIGTERM SIGUSR1 SIGUSR2 nostop noprint pass",
        "set unwindonsignal on",
    )
)
"""gdb commands that let signals from users, timers and supervisors through while gdb calls a function.

The commands list these signals instead of `all`: with `all`, a call in a program whose adapter had ended never
returned.
"""

Failure = Callable[[], str]
"""A function that returns why an attach in progress has failed, or an empty string if it has not failed."""


# -- in the adapter ----------------------------------------------------------------------------------------------------


def install() -> None:
    """Make debugpy's adapter attach through this module from now on."""
    from debugpy.adapter import clients  # noqa: PLC0415  only the adapter needs it; servers cannot be imported first
    from debugpy.common import messaging  # noqa: PLC0415  as above

    servers: Any = clients.servers  # pyright: ignore[reportPrivateImportUsage]  see above
    inject_by_gdb, wait, injectors = servers.inject, servers.wait_for_connection, _watched_injectors()
    failures: list[tuple[int, Failure]] = []

    def inject(pid: int, debugpy_args: Sequence[str], on_output: Any) -> None:  # noqa: ARG001  debugpy's own handler prints it
        folder, arguments = _folder_in(debugpy_args)
        if folder:
            entry_folder.hand_over(folder, pid, _setup(servers, arguments))
            failures.append((pid, lambda: _failure_in(folder, pid)))
        else:
            said: list[str] = []

            def note(category: str, text: str) -> None:
                if category == "stderr":
                    said.append(text)

            inject_by_gdb(pid, arguments, note)
            failures.append((pid, lambda: _failure_of(injectors[-1], said)))

    def wait_for_connection(session: Any, predicate: Any, timeout: float | None = None) -> Any:
        if not failures:
            return wait(session, predicate, timeout)
        pid, failure = failures.pop()
        end = None if timeout is None else time.monotonic() + timeout
        while (connection := wait(session, predicate, 0)) is None:
            if why := failure():
                raise messaging.MessageHandlingError(f"debugpy could not get into process {pid}: {why}")
            if end is not None and time.monotonic() > end:
                break
            time.sleep(_TURN_S)
        return connection

    servers.inject, servers.wait_for_connection = inject, wait_for_connection


def _folder_in(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Split `arguments` into the folder of the queued script (empty if not given) and the other arguments."""
    if QUEUED_OPTION not in arguments:
        return "", list(arguments)
    at = list(arguments).index(QUEUED_OPTION)
    return arguments[at + 1], [*arguments[:at], *arguments[at + 2 :]]


def _setup(servers: Any, arguments: list[str]) -> entry_folder.Setup:
    import debugpy  # noqa: PLC0415, T100  only the adapter needs it
    from debugpy import adapter  # noqa: PLC0415  as above
    from debugpy.common import sockets  # noqa: PLC0415  as above

    log_to = arguments[arguments.index("--log-to") + 1] if "--log-to" in arguments[:-1] else None
    untyped: Any = sockets
    token: Any = adapter.access_token
    address = untyped.get_address(servers.listener)
    return entry_folder.Setup(os.path.dirname(debugpy.__file__), address, token, log_to)  # noqa: PTH120


def _failure_in(folder: str, pid: int) -> str:
    import psutil  # noqa: PLC0415  only an attach needs it

    why = entry_folder.failure(folder) or ("" if psutil.pid_exists(pid) else "it has ended")
    if why:
        entry_folder.remove(folder)
    return why


def _watched_injectors() -> list[subprocess.Popen[bytes]]:
    """Make debugpy start the process that injects code through `inject`; return the list of started processes.

    The list grows as debugpy starts further processes.
    """
    plain: Any = subprocess.Popen
    started: list[subprocess.Popen[bytes]] = []

    class Popen(plain):
        def __init__(self, args: Any, *more: Any, **options: Any) -> None:
            if isinstance(args, list) and "--pid" in args:
                options.setdefault("env", {**os.environ, "PATH": programs.search_path()})
                words: list[str] = [str(word) for word in cast("list[Any]", args)[2:]]
                args = child_python.command(f"{__name__}:inject", *words)
                started.append(self)
            super().__init__(args, *more, **options)  # pyright: ignore[reportUnknownMemberType]  its type is not given

    subprocess.Popen = Popen
    return started


def _failure_of(injector: subprocess.Popen[bytes], said: list[str]) -> str:
    """Return why the process that injects code has failed, or an empty string.

    debugpy passes the process's output on within a second of its end.
    """
    lines = "".join(said).strip().splitlines() if injector.poll() else []
    return f"{lines[-1].rstrip('.')}. `dap-ai doctor` lists what attaching needs." if lines else ""


# -- in the injector ---------------------------------------------------------------------------------------------------


def inject() -> None:
    """Inject debugpy into the running process that the command-line arguments name."""
    from debugpy.server import cli as untyped  # noqa: PLC0415  only the injector needs it

    _calm_gdb()
    cli: Any = untyped
    if os.name != "nt":  # on Windows debugpy has only 2,048 bytes for the code
        cli.attach_to_pid = lambda: _enter(cli)
    cli.main()


def _calm_gdb() -> None:
    plain: Any = subprocess.check_call

    def check_call(command: Any, **options: Any) -> Any:
        if isinstance(command, str) and command.startswith("gdb "):
            command = f"gdb {_CALM} {command[4:]}"
        return plain(command, **options)

    subprocess.check_call = check_call


def _enter(cli: Any) -> None:
    import debugpy  # noqa: PLC0415, T100  only the injector needs it

    options = cli.options
    pydevd: Any = import_module("pydevd")
    sys.path.append(os.path.join(os.path.dirname(pydevd.__file__), "pydevd_attach_to_process"))  # noqa: PTH118, PTH120
    parts: Any = import_module("add_code_to_python_process")
    if options.linux_attach_prefer_lldb:
        os.environ["PYDEVD_ATTACH_PREFER_LLDB"] = "1"
    package = os.path.dirname(debugpy.__file__)  # noqa: PTH120
    setup = entry_folder.Setup(package, options.address, options.adapter_access_token, options.log_to)
    folder = entry_folder.make(options.target)
    try:
        parts.run_python_code(
            options.target, entry_folder.code_to_enter(folder, setup), connect_debugger_tracing=True, show_debug_info=0
        )
        if not entry_folder.was_tried(folder):
            sys.exit("gdb could not run Python code in it")
        if why := entry_folder.failure(folder):
            sys.exit(why)
    finally:
        entry_folder.remove(folder)

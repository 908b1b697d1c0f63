"""Starts a program through the launcher that the debug adapter requests (`runInTerminal`), and controls it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import psutil

from dap_ai.commands.running import run_targets
from dap_ai.commands.running.controlling_terminal import ControllingTerminal
from dap_ai.system.load_limits import slack

_CHUNK_BYTES = 65536
_WATCH_INTERVAL_S = 0.2
_DEBUGGEE_START_S = 5.0
_LAST_OUTPUT_S = 1.0
_LAUNCHER_END_S = 2.0


class ProgramJob(run_targets.TargetJob):
    """Starts the launcher that the backend requests, and controls the debuggee that the launcher starts.

    `show_output` is called with the program's output by category, from threads. Without it, the program writes to our
    stdout and stderr.
    """

    def __init__(self, terminal: ControllingTerminal, show_output: Callable[[str, bytes], None] | None = None) -> None:
        self._terminal = terminal
        self._show_output = show_output
        self._launcher: subprocess.Popen[bytes] | None = None
        self._pumps: list[threading.Thread] = []
        self._watch: asyncio.Task[None] | None = None
        self._launched_at = 0.0
        self._debuggee = 0
        self._running = False

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Start the launcher, as the adapter's reverse request `runInTerminal` asks.

        Returns the body of the response, with the launcher's process id.
        """
        env = dict(os.environ)
        changes: dict[str, str | None] = arguments.get("env") or {}
        for name, value in changes.items():
            env.pop(name, None)
            if value is not None:
                env[name] = value
        how: dict[str, Any] = self._terminal.spawning()
        if self._show_output:
            how = how | {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command: list[str] = arguments["args"]
        cwd: str | None = arguments.get("cwd") or None
        launcher = subprocess.Popen[bytes](command, cwd=cwd, env=env, **how)
        self._terminal.spawned()
        for category, stream in (("stdout", launcher.stdout), ("stderr", launcher.stderr)):
            if stream:
                pump = threading.Thread(target=self._pump, args=(category, stream.fileno()), daemon=True)
                pump.start()
                self._pumps.append(pump)
        self._launcher = launcher
        self._launched_at = time.monotonic()
        return {"processId": launcher.pid}

    def started(self, debuggee: int) -> None:
        """Note that the debuggee runs as process `debuggee`, which leads the process group of that number."""
        self._debuggee = debuggee
        self._terminal.started(debuggee)
        self._running = True
        if self._terminal.present:
            self._watch = asyncio.create_task(self._watch_for_stops())

    def start_has_failed(self) -> bool:
        """Return whether the launcher has no debuggee although it has had the time to start it.

        No event reports this until a debuggee has connected to debugpy.
        """
        if self._launcher is None or time.monotonic() - self._launched_at < _DEBUGGEE_START_S * slack():
            return False
        with contextlib.suppress(psutil.Error):
            return not psutil.Process(self._launcher.pid).children()
        return True

    def paused(self) -> None:
        """Take the terminal, because the debugger has stopped the debuggee."""
        self._running = False
        self._terminal.take()

    def going_on(self) -> None:
        """Give the terminal to the debuggee, because the debugger is about to continue it."""
        self._terminal.give(self._debuggee)
        self._running = True

    def continued_by_shell(self) -> None:
        """Give the terminal to a running debuggee after the user typed `fg` or `bg` in the shell."""
        if self._running:
            self._terminal.resumed(self._debuggee)

    def send(self, signal_number: int) -> None:
        """Send a signal to the debuggee's process group, as a terminal would."""
        if self._debuggee:
            _signal_group(self._debuggee, signal_number)

    async def wait(self, timeout_s: float) -> bool:
        """Return whether the launcher, which ends after the debuggee, ends within `timeout_s` seconds."""
        if self._launcher is None:
            return True
        try:
            await asyncio.to_thread(self._launcher.wait, timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Kill the debuggee's process group and the launcher if they still run."""
        self.send(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        if self._launcher and self._launcher.poll() is None:
            _kill_children(self._launcher.pid)
            self._launcher.kill()

    async def ended(self) -> int | None:
        """Wait for the launcher's end and its last output; return the debuggee's exit code.

        None if no launcher was started.
        """
        if self._watch:
            self._watch.cancel()
        if self._launcher is None:
            return None
        if not await self.wait(_LAUNCHER_END_S):
            self._launcher.kill()
        code = self._launcher.wait()
        for pump in self._pumps:
            # A daemon that the program leaves behind may keep the pipe open forever.
            await asyncio.to_thread(pump.join, _LAST_OUTPUT_S)
        return code

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """Return an exit code as a shell reports it, and a sentence that describes it."""
        return exit_status(exit_code)

    def _pump(self, category: str, fd: int) -> None:
        show = self._show_output
        assert show is not None  # noqa: S101  pumps exist only with show_output
        try:
            while data := os.read(fd, _CHUNK_BYTES):
                show(category, data)
            show(category, b"")
        except (BrokenPipeError, ValueError):
            # Our stdout is closed: close the pipe, so that the program gets SIGPIPE as it would without us.
            with contextlib.suppress(OSError):
                os.close(fd)

    async def _watch_for_stops(self) -> None:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._debuggee)
            while True:
                await asyncio.sleep(_WATCH_INTERVAL_S)
                if self._running and process.status() == psutil.STATUS_STOPPED:
                    self._terminal.stop_with(self._debuggee)


def _signal_group(leader: int, signal_number: int) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal_number)


def _kill_children(launcher: int) -> None:
    """Kill the launcher's children, among them a debuggee that no event has reported yet."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(launcher)
        process.suspend()  # so that it starts no further child meanwhile
        for child in process.children():
            _signal_group(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            with contextlib.suppress(psutil.Error):
                child.kill()


def exit_status(code: int) -> tuple[int, str]:
    """Return debugpy's exit code of a program as a shell reports it, and a sentence that describes it.

    debugpy reports a death by signal n as 256 - n. 255 means either SIGHUP or `sys.exit(-1)`; this function assumes the
    latter, because it is far more common.
    """
    if sys.platform != "win32" and 256 - 64 <= code < 255:
        with contextlib.suppress(ValueError):
            name = signal.Signals(256 - code).name
            return 128 + 256 - code, f"the program was killed by {name}"
    return code, f"the program ended with exit code {code}"

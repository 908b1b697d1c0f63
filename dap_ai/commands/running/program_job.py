"""The program as a job of ours: what `runInTerminal` starts, and the debuggee within it."""

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
    """Starts the launcher that the backend asks for, and knows the debuggee that this starts.

    `show_output` gets the program's output by category, from threads; without it the program writes to our own
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
        """Answers the reverse request: exactly this command, in this folder, with this environment."""
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
        """The debuggee runs as process `debuggee`, and leads a process group of that number."""
        self._debuggee = debuggee
        self._terminal.started(debuggee)
        self._running = True
        if self._terminal.present:
            self._watch = asyncio.create_task(self._watch_for_stops())

    def start_has_failed(self) -> bool:
        """Whether the launcher has ended, or has no debuggee although it had the time to start one.

        Until a debuggee has connected to debugpy, no event tells of it.
        """
        if self._launcher is None or time.monotonic() - self._launched_at < _DEBUGGEE_START_S * slack():
            return False
        with contextlib.suppress(psutil.Error):
            return not psutil.Process(self._launcher.pid).children()
        return True

    def paused(self) -> None:
        """The debugger has stopped the debuggee: the terminal is ours."""
        self._running = False
        self._terminal.take()

    def going_on(self) -> None:
        """The debugger is about to let the debuggee go on: the terminal is its own again."""
        self._terminal.give(self._debuggee)
        self._running = True

    def continued_by_shell(self) -> None:
        """`fg` or `bg` was typed."""
        if self._running:
            self._terminal.resumed(self._debuggee)

    def send(self, signal_number: int) -> None:
        """Sends a signal to the debuggee's process group, as its terminal would."""
        if self._debuggee:
            _signal_group(self._debuggee, signal_number)

    async def wait(self, timeout_s: float) -> bool:
        """Whether the launcher, and so the debuggee, ends within that time."""
        if self._launcher is None:
            return True
        try:
            await asyncio.to_thread(self._launcher.wait, timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Ends the debuggee's process group and the launcher, if they are still there."""
        self.send(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        if self._launcher and self._launcher.poll() is None:
            _kill_children(self._launcher.pid)
            self._launcher.kill()

    async def ended(self) -> int | None:
        """Waits for the launcher and the last of the output; the launcher's exit code, which is the debuggee's."""
        if self._watch:
            self._watch.cancel()
        if self._launcher is None:
            return None
        if not await self.wait(_LAUNCHER_END_S):
            self._launcher.kill()
        code = self._launcher.wait()
        for pump in self._pumps:
            # A daemon that the program leaves behind may hold the pipe for ever.
            await asyncio.to_thread(pump.join, _LAST_OUTPUT_S)
        return code

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """An exit code as a shell would give it, and in words."""
        return exit_status(exit_code)

    def _pump(self, category: str, fd: int) -> None:
        show = self._show_output
        assert show is not None  # noqa: S101  a pump exists only for it
        try:
            while data := os.read(fd, _CHUNK_BYTES):
                show(category, data)
            show(category, b"")
        except (BrokenPipeError, ValueError):
            # Nobody reads ours any more: the program finds out as it would without us.
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
    """Ends a debuggee of which no event has told yet."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(launcher)
        process.suspend()  # it starts none meanwhile
        for child in process.children():
            _signal_group(child.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            with contextlib.suppress(psutil.Error):
                child.kill()


def exit_status(code: int) -> tuple[int, str]:
    """A debuggee's exit code as a shell would give it, and in words.

    debugpy gives a death by signal n as 256 - n. 255 is both SIGHUP and what `sys.exit(-1)` gives: taken as the
    latter, which is far more common.
    """
    if sys.platform != "win32" and 256 - 64 <= code < 255:
        with contextlib.suppress(ValueError):
            name = signal.Signals(256 - code).name
            return 128 + 256 - code, f"the program was killed by {name}"
    return code, f"the program ended with exit code {code}"

"""Runs an agent as a child process on the user's terminal, and the recording endpoint's process alongside."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import psutil
from msgspec.structs import replace

import dap_ai
from dap_ai.debuggees.runs.live.agent_address import agent_address
from dap_ai.debuggees.runs.live.endpoint_messages import (
    AgentEnd,
    AgentProcess,
    Begin,
    EndpointInput,
    EndpointOutput,
    Ready,
    ReplayPlan,
)
from dap_ai.debuggees.runs.live.endpoint_plan import Plan
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary
from dap_ai.debuggees.runs.live.wire.routes import environment, upstreams
from dap_ai.system import child_python
from dap_ai.transport import admission

LOG = "endpoint.log"
_ADDRESSED = "addressed"
"""Name of the upstream for the address that the agent's own settings give."""
_CLOSE_S = 30.0
_PASSED_ON = ("SIGTERM", "SIGHUP")
"""Signals to this process that are forwarded to the agent. The terminal sends its own signals to the agent as well."""
_MOST_RESTARTS = 20


class CannotRecord(Exception):  # noqa: N818  named for what is wrong with the recording
    """Recording failed before the agent was started; the message says why."""


class ReplayLaunch(NamedTuple):
    """How a replay is started: its plan, and the command and directory in place of the recorded ones."""

    plan: Plan
    argv: Sequence[str]
    """Command line to start, possibly wrapped to enter a mount namespace."""
    cwd: Path
    head: Mapping[str, Any]
    """Fields to add to, or replace in, the recording's first line."""
    aside: bool = False
    """Whether the agent's stdout goes to this process's stderr."""


class RecordRequest(NamedTuple):
    """Request to record a command: the recording's folder and the workspace to follow."""

    command: Sequence[str]
    folder: Path
    workspace: Path | None
    environ: Mapping[str, str]
    again: ReplayLaunch | None = None
    gate: ReplayPlan | None = None
    """Settings for pausing the agent; None if the agent cannot be paused."""
    cwd: Path | None = None
    """Working directory, or None for the current directory."""


class Keeper:
    """Runs the endpoint's process, and restarts the endpoint at the same address if it is killed."""

    def __init__(self, wish: RecordRequest, heard: Callable[[EndpointOutput], None] = lambda _: None) -> None:
        """Start the endpoint. The agent can start afterwards; its requests wait until the endpoint serves.

        `heard` is called with each line of the endpoint, in a thread. Raises CannotRecord.
        """
        self._heard = heard
        self._listener = admission.listening_tcp("127.0.0.1", 0, backlog=1024)
        token = secrets.token_urlsafe(18)
        try:
            found = {upstream.name: upstream.url for upstream in upstreams(wish.environ)}
            self._addressed = agent_address(wish.command, wish.environ)
            if self._addressed is not None:
                found[_ADDRESSED] = self._addressed.url
            port, gate = self._listener.getsockname()[1], wish.gate is not None
            self.environment = environment(wish.environ, port, token, gate=gate)
            if self._addressed is not None:
                self.environment |= self._addressed.environment(wish.environ, token)
        except ValueError as error:
            raise CannotRecord(str(error)) from error
        workspace = str(wish.workspace) if wish.workspace else None
        fd = self._listener.fileno()
        plan = wish.again.plan if wish.again else None
        self._begin = Begin(fd, token, str(wish.folder), found, _head(wish), workspace, plan, wish.gate)
        self._agent: AgentProcess | None = None
        self._ending = False
        self._lock = threading.Lock()
        self.told: RecordingSummary | None = None
        self._process, self.ready = self._start()
        self._thread = threading.Thread(target=self._keep, name="endpoint", daemon=True)
        self._thread.start()

    def addressed(self, command: Sequence[str]) -> list[str]:
        """Return the agent's command, with options for this endpoint's address if the agent ignores the environment."""
        if self._addressed is None:
            return list(command)
        address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/{_ADDRESSED}"
        return self._addressed.command(command, address)

    def follow(self, pid: int) -> None:
        """Tell the endpoint the agent's process id."""
        with contextlib.suppress(psutil.Error):
            self._agent = AgentProcess(pid, psutil.Process(pid).create_time())
            with self._lock:
                _say(self._process, EndpointInput(agent=self._agent))

    def say(self, line: EndpointInput) -> None:
        """Send a line to the gate. If a killed endpoint is replaced, only the breakpoint table is sent again."""
        with self._lock:
            if line.table is not None:
                self._stands(table=line.table)
            _say(self._process, line)

    def leave(self) -> None:
        """Stop sending lines to the endpoint, which serves until the agent ends."""
        with self._lock, contextlib.suppress(OSError):
            self._ending = True
            if self._process.stdin is not None:
                self._process.stdin.close()

    def end(self, exit_code: int) -> RecordingSummary | None:
        """Report the agent's exit; return the endpoint's summary of the recording, or None without a summary."""
        with self._lock:
            self._ending = True
            _say(self._process, EndpointInput(end=AgentEnd(exit_code)))
        self._thread.join(_CLOSE_S)
        self._listener.close()
        log = Path(self._begin.folder) / LOG
        if log.exists() and not log.stat().st_size:
            log.unlink()
        return self.told

    def _keep(self) -> None:
        """Read the endpoint's lines until its summary; restart an endpoint that ends early, while connections wait."""
        for _ in range(_MOST_RESTARTS):
            for line in iter(_stdout(self._process).readline, b""):
                with contextlib.suppress(msgspec.MsgspecError):  # truncated, because it was killed
                    word = msgspec.json.decode(line, type=EndpointOutput)
                    self.told = word.told or self.told
                    self._note(word)
                    self._heard(word)
            self._process.wait()
            with self._lock:
                if self._ending or self.told:
                    return
                try:
                    self._process, _ = self._start()
                except CannotRecord:
                    return
                if self._agent:
                    _say(self._process, EndpointInput(agent=self._agent))

    def _note(self, word: EndpointOutput) -> None:
        if word.heard is not None and word.heard.announces and self._begin.gate is not None:
            known = {*self._begin.gate.announces, *word.heard.announces}
            with self._lock:
                self._stands(announces=sorted(known))

    def _stands(self, **fields: Any) -> None:
        """Change the gate settings for the next endpoint; requests may reach that endpoint before any message does."""
        if (gate := self._begin.gate) is not None:
            self._begin = replace(self._begin, gate=replace(gate, **fields))

    def _start(self) -> tuple[subprocess.Popen[bytes], Ready]:
        """Start the endpoint in a new session, so that the terminal's signals do not reach it."""
        log = os.open(Path(self._begin.folder) / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = subprocess.Popen(  # noqa: S603  a command of dap_ai
                child_python.command("dap_ai.debuggees.runs.live.__main__:main"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=[self._begin.fd],
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CannotRecord(f"the endpoint cannot be started: {error}") from error
        finally:
            os.close(log)
        _say(process, self._begin)
        line = _stdout(process).readline()
        if not line:
            process.wait()
            raise CannotRecord(f"the endpoint has ended at once: {_last_words(self._begin)}")
        return process, msgspec.json.decode(line, type=Ready)


def run_agent(wish: RecordRequest, keeper: Keeper) -> int:
    """Run the agent on this process's stdin, stdout, stderr and terminal; return its exit code as a shell would.

    Raises OSError if the agent cannot be started.
    """
    with _signals() as passed_on:
        argv, cwd = (wish.again.argv, wish.again.cwd) if wish.again else (keeper.addressed(wish.command), None)
        out = sys.stderr if wish.again and wish.again.aside else None
        agent = subprocess.Popen(argv, env={**wish.environ, **keeper.environment}, cwd=cwd, stdout=out)  # noqa: S603  the user's own command
        passed_on.append(agent)
        keeper.follow(agent.pid)
        code = agent.wait()
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _signals() -> Generator[list[subprocess.Popen[bytes]]]:
    """Leave Ctrl-C to the agent, and forward to the agent the signals that end this process."""
    agents = list[subprocess.Popen[bytes]]()

    def pass_on(number: int, _frame: Any) -> None:
        for agent in agents:
            agent.send_signal(number)

    def leave(_number: int, _frame: Any) -> None:
        """Ignore the signal, which the terminal sends to the agent as well. SIG_IGN would be inherited by the agent."""

    handlers = {signal.SIGINT: leave}
    handlers |= {getattr(signal, name): pass_on for name in _PASSED_ON if hasattr(signal, name)}
    if hasattr(signal, "SIGQUIT"):
        handlers[signal.SIGQUIT] = leave
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield agents
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _head(wish: RecordRequest) -> dict[str, Any]:
    started = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    return {
        "started": started,
        "command": list(wish.command),
        "cwd": str(wish.cwd or Path.cwd()),
        "workspace": str(wish.workspace or ""),
        "environ": sorted(wish.environ),
        "dap_ai": dap_ai.__version__,
        **(wish.again.head if wish.again else {}),
    }


def _say(process: subprocess.Popen[bytes], line: Begin | EndpointInput) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(msgspec.json.encode(line) + b"\n")
            process.stdin.flush()


def _stdout(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise CannotRecord("the endpoint has no stdout")
    return process.stdout


def _last_words(begin: Begin) -> str:
    with contextlib.suppress(OSError):
        return (Path(begin.folder) / LOG).read_text(encoding="utf-8", errors="replace").strip()[-500:]
    return ""

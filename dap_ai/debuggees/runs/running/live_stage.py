"""Runs a live agent: its process, the endpoint's process, and the recording, which is read again as it grows."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from dap_ai.debuggees.runs.adapter.background_analysis import BackgroundAnalysis
from dap_ai.debuggees.runs.adapter.request_arguments import RequestError
from dap_ai.debuggees.runs.live import launcher
from dap_ai.debuggees.runs.live.ending import terminated
from dap_ai.debuggees.runs.live.endpoint_messages import EndpointInput, EndpointOutput, ReplayPlan
from dap_ai.debuggees.runs.live.folders import new_folder
from dap_ai.debuggees.runs.live.gate.orders import GateMessage
from dap_ai.debuggees.runs.live.record_agent import CannotRecord, Keeper, RecordRequest
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_files import CannotRead
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.running.agent_output import AgentOutputFiles
from dap_ai.debuggees.runs.running.happening import Happening
from dap_ai.debuggees.runs.running.live_launch import LiveLaunch
from dap_ai.debuggees.runs.store import FILE
from dap_ai.system import child_python

_LOOK_S = 0.2
"""Seconds between checks whether the recording has grown."""
_SHARE = 5
"""Reading the recording again takes at most about 1/_SHARE of the time."""
_TERM_S = 3.0
_VARIABLES = "variables.json"
"""File with variables for the launcher, which deletes the file."""
_LISTENING = Path(__file__).parent / "attached" / "listening.py"
"""Script that the hook runs first in an agent's Python that a debugger shall debug."""


class LiveStage:
    """Runs the agent and does all I/O of a live session. Threads report happenings to `tell`."""

    def __init__(
        self, wanted: LiveLaunch, tell: Callable[[Happening], None], editable: Callable[[str, str], str]
    ) -> None:
        """Start the endpoint and the recording. Raises RequestError."""
        self._wanted, self._tell = wanted, tell
        self.write = editable
        """Writes a document that the user may edit; takes name and text, returns the path."""
        self._environ = _environ(wanted.env)
        if shutil.which(wanted.command[0], path=self._environ.get("PATH")) is None:
            raise RequestError(f"{wanted.command[0]}: is no command that can be found")
        if not Path(wanted.cwd).is_dir():
            raise RequestError(f"{wanted.cwd}: is no directory to run in")
        try:
            self._folder = new_folder(Path(wanted.out) if wanted.out else None, wanted.command[0])
            workspace = Path(wanted.workspace) if wanted.workspace else None
            stand = ReplayPlan(wanted.stop_all, wanted.keep_alive_s)
            wish = RecordRequest(
                wanted.command, self._folder, workspace, self._environ, gate=stand, cwd=Path(wanted.cwd)
            )
            self._keeper = Keeper(wish, self._heard)
        except (CannotRecord, OSError, ValueError) as error:
            raise RequestError(f"nothing can be recorded: {error}") from error
        self._variables = self._folder / _VARIABLES
        self._lock = threading.Lock()
        self._size = 0
        self._pid = 0
        self._is_over = False

    # -- methods for the session -------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Folder of the recording."""
        return str(self._folder)

    def run(self) -> Run:
        """Return the run recorded so far. Raises RequestError."""
        try:
            self._size = (self._folder / FILE).stat().st_size
            return open_run(self._folder)
        except (CannotRead, OSError) as error:
            raise RequestError(str(error)) from error

    def say(self, line: EndpointInput) -> None:
        """Send a line to the gate."""
        self._keeper.say(line)

    def begin(self) -> None:
        """Start the agent in a new process session, so that the agent outlives the debugger. Output goes to files.

        Raises RequestError.
        """
        printing = AgentOutputFiles(
            self._folder, lambda category, text: self._tell(Happening(printed=(category, text)))
        )
        try:
            with printing.files() as (out, err):
                command = self._keeper.addressed(self._wanted.command)
                agent = subprocess.Popen(  # noqa: S603  the user's own command
                    command, env={**self._environ, **self._changed()}, cwd=self._wanted.cwd, stdin=subprocess.DEVNULL,
                    stdout=out, stderr=err, start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            raise RequestError(f"{self._wanted.command[0]}: cannot be started: {error.strerror}") from error
        self._pid = agent.pid
        self._keeper.follow(agent.pid)
        threading.Thread(target=self._look, name="growing", daemon=True).start()
        threading.Thread(target=self._wait, args=(agent, printing), name="agent", daemon=True).start()
        printing.begin()

    def in_terminal(self) -> tuple[list[str], dict[str, str | None], str]:
        """Return (command, environment, directory) of a launcher that starts the agent in a terminal.

        Raises RequestError.
        """
        command = self._keeper.addressed(self._wanted.command)
        try:
            launcher.write(self._variables, self._changed())
        except OSError as error:
            raise RequestError(f"{self._variables}: cannot be written: {error.strerror}") from error
        words = child_python.command("dap_ai.debuggees.runs.live.launcher:main", str(self._variables), *command)
        threading.Thread(target=self._look, name="growing", daemon=True).start()
        return words, dict(self._wanted.env), self._wanted.cwd

    def read(self, path: str) -> str | None:
        """Return the current text of a document; None if it can't be read."""
        with contextlib.suppress(OSError, UnicodeError):
            return Path(path).read_bytes().decode()
        return None

    def end_agent(self) -> None:
        """Terminate the agent and its child processes; kill them if they don't exit."""
        each = terminated(self._pid) if self._pid and not self._is_over else []
        threading.Thread(target=_kill, args=(each,), daemon=True).start()
        if not self._pid:
            threading.Thread(target=self._over, args=(1,), daemon=True).start()

    def leave(self) -> None:
        """Let stopped agents continue without a debugger; the endpoint serves until the agent ends."""
        self._is_over = True
        self._keeper.leave()

    def wait(self, timeout_s: float) -> None:
        """Wait until the agent has ended and the recording is complete, at most `timeout_s` seconds."""
        until = time.monotonic() + timeout_s
        while not self._is_over and time.monotonic() < until:
            time.sleep(0.02)

    # -- happenings --------------------------------------------------------------------------------------------------

    def _changed(self) -> dict[str, str]:
        """Environment variables to set for the agent."""
        return self._keeper.environment | (_listening() if self._wanted.python else {})

    def _heard(self, word: EndpointOutput) -> None:
        """Process a line of the endpoint; called in the thread that reads these lines."""
        heard = word.heard
        if heard is None:
            return
        if heard.exit_code is not None:
            threading.Thread(target=self._over, args=(heard.exit_code,), daemon=True).start()
        elif not heard.pid:
            self._read(heard)
        elif heard.pid != self._pid:
            self._pid = heard.pid
            self._keeper.follow(heard.pid)

    def _read(self, heard: GateMessage | None = None) -> None:
        """Report the recording as it is now, together with a message of the gate if given."""
        with self._lock, contextlib.suppress(RequestError):
            if heard is not None and heard.held is None and heard.edited is None:
                self._tell(Happening(heard=heard))
                return
            run = self.run()
            self._tell(Happening(run, BackgroundAnalysis(run), heard))

    def _look(self) -> None:
        while not self._is_over:
            time.sleep(_LOOK_S)
            with contextlib.suppress(OSError):
                if not self._is_over and (self._folder / FILE).stat().st_size != self._size:
                    began = time.monotonic()
                    self._read()
                    time.sleep((time.monotonic() - began) * _SHARE)

    def _wait(self, agent: subprocess.Popen[bytes], printing: AgentOutputFiles) -> None:
        code = agent.wait()
        printing.end()
        self._over(code if code >= 0 else 128 - code)

    def _over(self, code: int) -> None:
        with self._lock:
            if self._is_over:
                return
            told = self._keeper.end(code)
            self._is_over = True
            self._variables.unlink(missing_ok=True)
            with contextlib.suppress(RequestError):
                run = self.run()
                self._tell(Happening(run, BackgroundAnalysis(run), ended=code, words=self._words(told, code)))

    def _words(self, told: RecordingSummary | None, code: int) -> str:
        spent = f"; {told.queries} queries, {told.input_tokens:,} tokens in, {told.output_tokens:,} out" if told else ""
        none = "; no query came by OPENAI_BASE_URL, ANTHROPIC_BASE_URL and such" if told and not told.queries else ""
        return f"exit code {code}{none or spent}\nrecorded in {self._folder}"


def _environ(env: Mapping[str, str | None]) -> dict[str, str]:
    """Return this process's environment with the configured variables; null unsets a variable."""
    found = {**os.environ, **env}
    return {name: value for name, value in found.items() if value is not None}


def _listening() -> dict[str, str]:
    """Return variables that make the agent's first Python process listen for a debugger."""
    spec = importlib.util.find_spec("debugpy")
    if spec is None or not spec.submodule_search_locations:
        return {}
    return {"DAP_AI_LISTENING": str(_LISTENING), "DAP_AI_DEBUGPY": spec.submodule_search_locations[0]}


def _kill(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=_TERM_S)
    for process in alive:
        with contextlib.suppress(psutil.Error):
            process.kill()

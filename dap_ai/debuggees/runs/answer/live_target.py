"""Target of `dap-ai ask --agent -- COMMAND`: a live agent that runs in the terminal until something goes wrong."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from dap_ai.commands.running.program_job import ProgramJob
from dap_ai.commands.running.run_targets import Out, TargetSession
from dap_ai.commands.running.start_debuggee import Debugged
from dap_ai.commands.target_kinds import Make, TargetRequest
from dap_ai.debuggees.runs.answer import ASKS

FILTERS = ("apiError", "pattern", "failedCheckIgnored", "successWithoutChange", "loop")
"""Names of the debug adapter's exception filters that stop a live agent."""


class AgentJob(ProgramJob):
    """Controls the process of a live agent. A launcher leads the agent's process group."""

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Start the agent as the debug adapter's reverse request demands, and return the response."""
        answer = await super().run_in_terminal(arguments)
        self.started(answer["processId"])
        return answer

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """Return the exit code and a message. The launcher reports exit codes as a shell does."""
        return exit_code, f"the agent ended with exit code {exit_code}"


class LiveTarget(Debugged):
    """A live agent as the target of `ask`.

    Stops at the first failure pattern, API error or failed end, and resumes after the answer.
    """

    initialize: Mapping[str, Any] = {
        "adapterID": "agents",
        "supportsVariableType": True,
        "supportsRunInTerminalRequest": True,
    }
    ours = True
    asks = ASKS
    on_cancel = "cancelling; press Ctrl-C again to end the agent"

    def __init__(self, wanted: TargetRequest, out: Out) -> None:
        show = out.display.program_output if out.for_programs else None
        self.job = AgentJob(out.terminal, show)
        self.command_line = shlex.join(wanted.words)
        self._wanted = wanted

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """Return those exception filters of FILTERS that the debug adapter supports."""
        del exceptions
        return [name for name in FILTERS if name in announced]

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return a launch request for the agent's command, to be run in this terminal.

        If the user asks a question or starts a chat, the agent also stops at a successful end.
        """
        del capabilities
        curious = session.wishes.chat or bool(session.wishes.question)
        wanted = self._wanted
        return "launch", {
            "command": list(wanted.words),
            "cwd": wanted.cwd,
            "env": dict(wanted.env),
            "console": "integratedTerminal",
            "stopAt": "end" if curious else "failure",
        }

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Drop output events, which are for an editor's console.

        The event with the exit code becomes a status line.
        """
        if name == "output" and str(body.get("output", "")).startswith("exit code"):
            session.display.status(str(body["output"]).strip())
        return None if name == "output" else body

    async def let_go(self, session: TargetSession) -> bool:
        """Remove all stops and let the agent resume. Returns True."""
        await super().let_go(session)
        return True

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """Return a message that the agent ended without a failure pattern or API error."""
        del exceptions
        ended = "well" if status == 0 else f"with exit code {status}"
        seen = "no pattern, no error of the model's API"
        return f"the agent has ended {ended}: {seen}; ask all the same: --run PATH -q ..."


def look(wanted: TargetRequest) -> Make:
    """Return a function that makes the target for `ask --agent`. Raises UsageError if the command cannot be found."""
    if not wanted.words or wanted.module:
        raise click.UsageError("--agent runs an agent: name its command, as in `dap-ai ask --agent -- mini -t TASK`.")
    path = wanted.env.get("PATH")
    if shutil.which(wanted.words[0], path=path) is None and not Path(wanted.cwd, wanted.words[0]).exists():
        raise click.UsageError(f"--agent: {wanted.words[0]}: is no command that can be found.")
    return partial(LiveTarget, wanted)

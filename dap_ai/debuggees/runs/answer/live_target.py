"""A live agent as the target of `dap-ai ask --agent -- COMMAND`: it runs on the terminal until something goes wrong."""

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
"""Those of the adapter at which it is asked about."""


class AgentJob(ProgramJob):
    """The launcher leads the agent's process group."""

    async def run_in_terminal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answers the reverse request."""
        answer = await super().run_in_terminal(arguments)
        self.started(answer["processId"])
        return answer

    def status_of(self, exit_code: int) -> tuple[int, str]:
        """As the launcher tells it, which is as a shell would."""
        return exit_code, f"the agent ended with exit code {exit_code}"


class LiveTarget(Debugged):
    """It is held at the first pattern or error, or at its end where that has failed, and goes on after the answer."""

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
        """What goes wrong with agents."""
        del exceptions
        return [name for name in FILTERS if name in announced]

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The command, on this terminal. Who has something to ask is asked at its end in any case."""
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
        """The lines of the run are for an editor's console; where its recording is, is for everybody."""
        if name == "output" and str(body.get("output", "")).startswith("exit code"):
            session.display.status(str(body["output"]).strip())
        return None if name == "output" else body

    async def let_go(self, session: TargetSession) -> bool:
        """It goes on: nothing holds it any more."""
        await super().let_go(session)
        return True

    def why_no_stop(self, status: int, exceptions: Sequence[str]) -> str:
        """It has ended well, as far as can be seen."""
        del exceptions
        ended = "well" if status == 0 else f"with exit code {status}"
        seen = "no pattern, no error of the model's API"
        return f"the agent has ended {ended}: {seen}; ask all the same: --run PATH -q ..."


def look(wanted: TargetRequest) -> Make:
    """See commands.kinds.KindPort. Raises UsageError."""
    if not wanted.words or wanted.module:
        raise click.UsageError("--agent runs an agent: name its command, as in `dap-ai ask --agent -- mini -t TASK`.")
    path = wanted.env.get("PATH")
    if shutil.which(wanted.words[0], path=path) is None and not Path(wanted.cwd, wanted.words[0]).exists():
        raise click.UsageError(f"--agent: {wanted.words[0]}: is no command that can be found.")
    return partial(LiveTarget, wanted)

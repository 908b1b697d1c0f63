"""Console command `fork`: reruns a recorded agent from a step, in a separate session that stops at that step."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError
from dap_ai.debuggees.runs.adapter.views.run_console import ConsoleCommand
from dap_ai.system import child_python

_EDITS = "--say TEXT, --answer TEXT, --call TEXT or --result TEXT is the edit"


class Forking:
    """The console command `fork`. `start` makes the client start a session; it is None if the client can't."""

    def __init__(self, opened: OpenRun, start: Callable[[Mapping[str, Any]], None] | None) -> None:
        self._opened, self._start = opened, start
        usage = "fork [STEP] [EDIT]"
        self.commands = {
            "fork": ConsoleCommand(self._fork, usage, f"runs it again from a step, beside this one; {_EDITS}")
        }

    def _fork(self, argument: str) -> str:
        step, flags = self._asked(argument)
        words = ["run", "fork", self._opened.run.root, "--at", step, *flags]
        if self._start is None:
            return f"dap-ai {shlex.join(words)}\n{_EDITS}; `dap-ai run fork --help` says more"
        name = f"fork at step {step}"
        command = child_python.command("dap_ai.cli:main", *words)
        self._start({"name": name, "command": command, "workspace": False, "stopOnEntry": True, "stopAt": "end"})
        return f"{name}: a session of its own. Up to there the recording answers; it is held before its model is asked"

    def _asked(self, argument: str) -> tuple[str, Sequence[str]]:
        """Parse the argument; return the step, and options for `dap-ai run fork`. Raises ConditionError."""
        try:
            words = shlex.split(argument)
        except ValueError as error:
            raise ConditionError(f"{argument}: {error}") from error
        step = words.pop(0) if words and not words[0].startswith("-") else ""
        step = step or str(self._opened.current_event.step or self._opened.run.steps)
        if not step.isdecimal() or not 1 <= int(step) <= self._opened.run.steps:
            raise ConditionError(f"{step!r} is no step of this run, which has {self._opened.run.steps}: `fork 3`")
        if words and not words[0].startswith("--"):
            raise ConditionError(f"{words[0]!r} is no edit: {_EDITS}")
        return step, words

"""Makes a Jupyter kernel the target of `dap-ai ask --kernel`, at its last error or at another debugger's stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_ai.backends.jupyter import JupyterBackend
from dap_ai.backends.jupyter.kernel import CannotReachError
from dap_ai.commands.running.run_targets import Target, TargetSession
from dap_ai.commands.running.start_debuggee import Debugged
from dap_ai.debuggees.python.launch.kernels import KernelStop, NoErrorError, ask_at
from dap_ai.debuggees.python.launch.post_mortem_target import PostMortemTarget
from dap_ai.debuggees.python.launch.python_program import function_at
from dap_ai.protocol.contracts.backend import StartError

_FAILS = "userUnhandled"
_WAITS = "the kernel is debugged from here: it stops where a cell fails, at `breakpoint()` and at breakpoints"


class KernelAtError(PostMortemTarget):
    """A kernel paused at its last error. Answers show the notebook's cell names instead of file names."""

    def __init__(self, asked: KernelStop) -> None:
        super().__init__(asked.held)
        self._named = asked.named

    async def heard(self, session: TargetSession, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Replaces the file names of cells in answers by the cells' names in the notebook."""
        del session
        if name == "askOutput":
            return body | {"output": self._named(body["output"])}
        return _renamed(body, self._named) if name == "askEnded" else body


def _renamed(ended: dict[str, Any], named: Callable[[str], str]) -> dict[str, Any]:
    """Returns the body of `askEnded` with the names of cells in the texts of its answer and of its report."""
    report: dict[str, Any] = ended.get("report") or {}
    sections = [section | {"text": named(section["text"])} for section in report.get("sections", [])]
    texts = {"effect": named(report["effect"])} if report.get("effect") else {}
    whole = {"report": report | texts | {"sections": sections}} if report else {}
    return ended | {"answer": named(ended["answer"])} | whole


class StoppedKernel(Debugged):
    """A kernel that another debugger has stopped; only that debugger steps or resumes it."""

    stops_at_exceptions = False
    acts = False
    unmoved = "Another debugger has stopped the kernel, and moves it; here it can be asked about."
    on_cancel = "cancelling; press Ctrl-C again to leave"
    on_silence = "the kernel does not answer"

    def __init__(self, path: str) -> None:
        self.backend = JupyterBackend(path, beside=True)

    async def let_go(self, session: TargetSession) -> bool:
        """Leaves the kernel stopped."""
        del session
        return False


class DebuggedKernel(Debugged):
    """A kernel that dap_ai debugs, as an editor would.

    It stops at failing cells and breakpoints, and continues when the session ends.
    """

    begins_stopped = False
    on_silence = "the kernel does not answer"

    def __init__(self, path: str) -> None:
        self.backend = JupyterBackend(path)

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """Adds the filter for exceptions that IPython catches, which is how a cell fails."""
        return [name for name in {*exceptions, _FAILS} if name in announced]

    def start_request(self, session: TargetSession, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Returns the `attach` request, because the kernel is already running."""
        del capabilities
        session.display.status(_WAITS)
        return "attach", {}

    def statement(self, text: str) -> str:
        """Returns the text unchanged, because the user already enters Python."""
        return text

    def first_line(self, name: str, source: Sequence[str]) -> int:
        """Returns the 1-based line where a function's body starts, 0 if not found."""
        return function_at(source, name)


def target_at(wanted: str, *, stays: bool = False) -> Target:
    """Returns the kernel of a connection file as a target; an empty name means the newest file. Raises StartError.

    `stays`: accepts a kernel that has not failed yet, to wait for its first failure.
    """
    try:
        asked = asyncio.run(ask_at(wanted))
    except NoErrorError as none:
        if stays:
            return DebuggedKernel(none.path)
        raise StartError(str(none)) from none
    except CannotReachError as error:
        raise StartError(str(error)) from error
    return KernelAtError(asked) if asked.held else StoppedKernel(asked.path)

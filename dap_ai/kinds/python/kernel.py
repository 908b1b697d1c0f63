"""A Jupyter kernel as the target of `dap-ai ask --kernel`: at its last error, or where a debugger has stopped it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from dap_ai.backends.jupyter import JupyterBackend
from dap_ai.backends.jupyter.kernel import CannotReachError
from dap_ai.commands.running.kernels import Asked, ask_at
from dap_ai.commands.running.starting import Debugged
from dap_ai.commands.running.target import Session, Target
from dap_ai.kinds.python.held import HeldTarget
from dap_ai.protocol.contracts.backend import StartError


class HeldKernel(HeldTarget):
    """At its last error; cells are called in the answer what the notebook calls them."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked.held)
        self._named = asked.named

    async def heard(self, session: Session, name: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """What is said of it."""
        del session
        texts = {"askOutput": "output", "askEnded": "answer"}
        key = texts.get(name, "")
        return body | {key: self._named(body[key])} if body.get(key) else body


class StoppedKernel(Debugged):
    """Another debugger has stopped it, and alone moves it: nothing of that is touched."""

    initialize: Mapping[str, Any] = {"adapterID": "python"}
    acts = False
    unmoved = "Another debugger has stopped the kernel, and moves it; here it can be asked about."
    on_cancel = "cancelling; press Ctrl-C again to leave"
    on_silence = "the kernel does not answer"

    def __init__(self, path: str) -> None:
        self.backend = JupyterBackend(path, beside=True)

    def filters(self, exceptions: Sequence[str], announced: Sequence[str]) -> Sequence[str]:
        """None: they are the other debugger's."""
        del exceptions, announced
        return ()

    def start_request(self, session: Session, capabilities: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """There is nothing to say."""
        del session, capabilities
        return "attach", {}

    async def let_go(self, session: Session) -> bool:
        """It stays where it is."""
        del session
        return False


def target_at(wanted: str) -> Target:
    """The kernel of a connection file; "": the newest. Raises StartError."""
    try:
        asked = asyncio.run(ask_at(wanted))
    except CannotReachError as error:
        raise StartError(str(error)) from error
    return HeldKernel(asked) if asked.held else StoppedKernel(asked.path)

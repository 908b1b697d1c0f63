"""Handles the client's requests; passes most of them unchanged to the Jupyter kernel's debugger.

1. The kernel belongs to the notebook: nothing here ends it. The bridge detaches the kernel's debugger when it ends.
2. A kernel has one debugger at a time. The bridge never replaces an attached debugger, except a bridge of ours that no
   longer runs.
3. With `beside`, another debugger has stopped the kernel, and only reading requests pass. The bridge itself answers
   `initialize`, `attach` and `disconnect`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from dap_ai.backends.jupyter.kernel import Kernel, NoReplyError
from dap_ai.system.texts import code

_LIMIT_S, _LONG_S, _START_S, _LOOK_S, _LEAVE_S = 30.0, 3600.0, 10.0, 5.0, 3.0
_LONG = frozenset({"evaluate", "setExpression", "setVariable"})
_MARK = "dap_ai_bridge"
_TAKEN = (
    "Another debugger is attached to this kernel (JupyterLab's, VS Code's): switch it off there, then attach again. "
    "Where it has stopped the kernel, `dap-ai ask --kernel` answers beside it."
)
_BUSY = "The kernel runs a cell: its debugger starts when it is idle. Interrupt the cell or wait, then attach again."
_NO_DEBUGGER = "This kernel has no debugger (ipykernel has one, where debugpy is installed beside it)."
_NO_ANSWER = "The kernel has not answered {}: it drops a request at which its own debugger fails."
_MOVES = frozenset({"continue", "next", "stepIn", "stepOut", "goto", "pause", "setVariable", "setExpression"})
_ITS_OWN = frozenset({"debugpyWaitingForServer", "debugpySockets"})
_NOT_OURS = "Another debugger has stopped this kernel, and moves it: here it is only looked at."
_NO_ENDS = dict.fromkeys(
    ("supportTerminateDebuggee", "supportsTerminateDebuggee", "supportsTerminateRequest", "supportsRestartRequest"),
    False,
)
_LOOKS = {
    "supportsConfigurationDoneRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
}


class BridgeRefusal(Exception):  # noqa: N818  an answer
    """Raised to refuse a client's request; the text gives the reason and a remedy."""


class Bridge:
    """A bridge between a DAP client and one Jupyter kernel.

    `send` sends a DAP message to the client and adds its `seq`.
    """

    def __init__(self, kernel: Kernel, send: Callable[[dict[str, Any]], None], *, beside: bool) -> None:
        self._kernel = kernel
        self._send = send
        self._beside = beside
        self._attached = False
        self._prefix = ""
        self._stopped: list[int] = []
        self._written: set[Path] = set()
        self._own_seq = 1_000_000
        self._handlers: Mapping[str, Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]] = {
            "initialize": self._initialize,
            "attach": self._attach,
            "configurationDone": self._configured,
            "disconnect": self._disconnect,
            "stackTrace": self._stack,
        }
        self.over = False

    def heard(self, kind: str, content: dict[str, Any], _parent: str) -> None:
        """Handle a message that the kernel publishes: forward events of its debugger to the client."""
        name = str(content.get("event") or "") if kind == "debug_event" else ""
        if name and name not in _ITS_OWN and (self._attached or self._beside):
            self._send({"type": "event", "event": name, "body": content.get("body") or {}})

    async def receive(self, request: dict[str, Any]) -> None:
        """Answer one request from the client."""
        command = request["command"]
        reply: dict[str, Any] = {"type": "response", "request_seq": request["seq"], "command": command, "success": True}
        try:
            body = await self._handlers.get(command, self._looked if self._beside else self._passed)(request)
            self._send(reply | {"body": body})
            await self._after(command)
        except BridgeRefusal as why:
            shown = {"id": 1, "format": str(why), "showUser": True}
            self._send(reply | {"success": False, "message": str(why), "body": {"error": shown}})

    async def _after(self, command: str) -> None:
        """Send the events that must follow the answer to `command`; used with `beside`."""
        if self._beside and command == "attach":
            self._send({"type": "event", "event": "initialized", "body": {}})
        if self._beside and command == "configurationDone":
            for thread_id in self._stopped[:1]:
                body = {"reason": "breakpoint", "threadId": thread_id, "allThreadsStopped": True}
                self._send({"type": "event", "event": "stopped", "body": body})

    async def _initialize(self, request: dict[str, Any]) -> Mapping[str, Any]:
        info = await self._info()
        self._prefix = str(info.get("tmpFilePrefix") or "")
        stopped: list[int] = info.get("stoppedThreads") or []
        self._stopped = stopped
        if self._beside:
            return _LOOKS
        if info.get("isStarted"):
            await self._take_over()
        try:
            answer = await self._kernel.debug(request["seq"], "initialize", request.get("arguments") or {}, _START_S)
        except NoReplyError as error:
            raise BridgeRefusal(_BUSY) from error
        if not answer.get("success", True):
            raise BridgeRefusal(str(answer.get("message") or _NO_DEBUGGER))
        return {**(answer.get("body") or {}), **_NO_ENDS}

    async def _info(self) -> Mapping[str, Any]:
        """Return the kernel's answer to `debugInfo`. Raises BridgeRefusal."""
        try:
            self._own_seq += 1
            answer = await self._kernel.debug(self._own_seq, "debugInfo", {}, _LOOK_S)
        except NoReplyError as error:
            raise BridgeRefusal(_NO_DEBUGGER) from error
        if not answer.get("body"):
            raise BridgeRefusal(_NO_DEBUGGER)
        return answer["body"]

    async def _take_over(self) -> None:
        """Detach a bridge that was killed from the kernel. Raises BridgeRefusal if another debugger is attached."""
        expression = f"getattr(__import__('sys').modules.get('pydevd'), '{_MARK}', 0)"
        with contextlib.suppress(BridgeRefusal, ValueError):
            pid = int((await self._ask("evaluate", {"expression": expression, "context": "hover"})).get("result", 0))
            if pid and not _is_alive(pid):
                await self._ask("disconnect", {"terminateDebuggee": False, "restart": False})
                return
        raise BridgeRefusal(_TAKEN)

    async def _attach(self, request: dict[str, Any]) -> Mapping[str, Any]:
        if self._beside:
            return {}
        self._attached = True  # the event `initialized` arrives before the response
        body = await self._passed(request)
        mark = f"setattr(__import__('pydevd'), '{_MARK}', {os.getpid()})"
        await self._ask("evaluate", {"expression": mark, "context": "hover"})
        return body

    async def _configured(self, request: dict[str, Any]) -> Mapping[str, Any]:
        return {} if self._beside else await self._passed(request)

    async def _disconnect(self, request: dict[str, Any]) -> Mapping[str, Any]:
        del request
        await self.leave()
        self.over = True
        return {}

    async def _stack(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """Return the stack; write each cell's code to the file that its frame names, so that editors can show it."""
        body = await self._passed(request)
        frames: list[dict[str, Any]] = body.get("stackFrames") or []
        for frame in frames:
            source: dict[str, Any] = frame.get("source") or {}
            path = str(source.get("path") or "")
            if self._prefix and path.startswith(self._prefix) and not os.path.exists(path):  # noqa: ASYNC240, PTH110
                await self._fill(Path(path))
        return body

    async def _fill(self, path: Path) -> None:
        expression = f"''.join(__import__('linecache').getlines({str(path)!r})).encode().hex()"
        with contextlib.suppress(BridgeRefusal, ValueError, OSError):
            text = str((await self._ask("evaluate", {"expression": expression, "context": "clipboard"}))["result"])
            source = bytes.fromhex(text.strip("'"))
            if source:
                _write(path, source)
                self._written.add(path)

    async def _looked(self, request: dict[str, Any]) -> Mapping[str, Any]:
        if request["command"] in _MOVES:
            raise BridgeRefusal(_NOT_OURS)
        return await self._passed(request)

    async def _passed(self, request: dict[str, Any]) -> Mapping[str, Any]:
        command = request["command"]
        limit_s = _LONG_S if command in _LONG else _LIMIT_S
        try:
            answer = await self._kernel.debug(request["seq"], command, request.get("arguments") or {}, limit_s)
        except NoReplyError as error:
            raise BridgeRefusal(_NO_ANSWER.format(code(command))) from error
        if not answer.get("success", True):
            raise BridgeRefusal(str(answer.get("message") or f"{command} failed"))
        if answer.get("request_seq", request["seq"]) != request["seq"]:
            raise BridgeRefusal(_NO_ANSWER.format(code(command)))
        return answer.get("body") or {}

    async def _ask(self, command: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send our own request to the kernel's debugger and return the response's body. Raises BridgeRefusal."""
        self._own_seq += 1
        return await self._passed({"seq": self._own_seq, "command": command, "arguments": dict(arguments)})

    async def leave(self) -> None:
        """Detach the kernel's debugger and delete the files written for cells; further calls do nothing."""
        if self._attached:
            self._attached = False
            with contextlib.suppress(NoReplyError):
                self._own_seq += 1
                arguments = {"terminateDebuggee": False, "restart": False}
                await self._kernel.debug(self._own_seq, "disconnect", arguments, _LEAVE_S)
        for path in self._written:
            with contextlib.suppress(OSError):
                path.unlink()
        self._written.clear()


def _write(path: Path, source: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(source)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


async def watch(kernel: Kernel, lost: Callable[[], None], every_s: float = 1.0, patience: int = 5) -> None:
    """Call `lost` if the kernel's heartbeat is missing in `patience` checks in a row.

    The checks are `every_s` seconds apart.
    """
    missed = 0
    while missed < patience:
        await asyncio.sleep(every_s)
        missed = 0 if kernel.is_alive else missed + 1
    lost()

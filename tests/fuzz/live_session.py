"""A client of a real `dap-ai serve` that asks anything in any state, and notices when something is not answered."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from typing import Any

import psutil

from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.wire.framing import FrameReader, encode_frame
from tests.fuzz.requests import Known
from tests.integration.subjects import Subject
from tests.patience import at_worst, patient

STATES = ["connected", "initialized", "launched", "running", "stopped", "ended"]
ANSWER_S = 1.0
"""Within which `threads` is answered, whatever was asked before."""
SLOW_S = at_worst(20.0)
"""For what may take its time: starting a program, on a machine that does other things too."""
SLOW = frozenset({"launch", "attach", "configurationDone", "restart"})
"""Requests that start a program: whatever follows them may wait for it."""


class Wedged(AssertionError):  # noqa: N818  a state, not a mistake
    """Something was not answered in time; the text tells the whole conversation."""


class LiveSession:
    """`request` gives the response; every request must have exactly one when `leave` returns."""

    def __init__(self, process: AdapterProcess, about: Subject) -> None:
        self.known = Known(program=about.crashes["program"])
        self.log: list[str] = []
        self.late: list[str] = []
        self._process = process
        self._about = about
        self._frames = FrameReader()
        self._seq = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._ended = False
        self._started = time.monotonic()
        self.patience_s = patient(ANSWER_S)
        process.link.start(self._on_data, self._on_end, lambda _full: None)

    @classmethod
    async def open(cls, about: Subject) -> LiveSession:
        backend = " ".join(f"'{word}'" for word in about.argv) if len(about.argv) > 1 else about.argv[0]
        serve = AdapterCommand([sys.executable, "-m", "dap_ai", "serve", "--backend", backend], {})
        return cls(await AdapterProcess.start(serve, lambda _text: None), about)

    # -- states -----------------------------------------------------------------------------------------------------

    async def go_to(self, state: str) -> None:
        """As an editor gets there."""
        if state == "connected":
            await self.answer(self.send("threads", {}))  # the adapter takes its time to start
            return
        await self.answer(self.send("initialize", {"adapterID": "x", "pathFormat": "path", "linesStartAt1": True}))
        if state == "initialized":
            return
        programs = {"running": self._about.goes_on, "ended": self._about.ends}
        program = programs.get(state, self._about.crashes)
        started = self.send("launch", program)
        await self.event("initialized")
        await self.answer(self.send("setExceptionBreakpoints", {"filters": self._about.filters}))
        if state == "launched":
            self.patience_s = SLOW_S  # the program may still be starting
            return
        await self.answer(self.send("configurationDone", {}))
        await self.answer(started)
        if state == "stopped":
            await self._look((await self.event("stopped"))["threadId"])
        elif state == "ended":
            await self.event("terminated")

    async def _look(self, thread: int) -> None:
        stack = await self.answer(self.send("stackTrace", {"threadId": thread}))
        frame = stack["body"]["stackFrames"][0]
        scopes = (await self.answer(self.send("scopes", {"frameId": frame["id"]})))["body"]["scopes"]
        reference = scopes[0]["variablesReference"] if scopes else 1
        self.known = Known(thread, frame["id"], reference, self.known.program, frame["line"])

    # -- requests ---------------------------------------------------------------------------------------------------

    def send(self, command: str, arguments: Any) -> asyncio.Future[dict[str, Any]]:
        """Its response comes later."""
        self._seq += 1
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._seq] = future
        self._note(f"-> {self._seq} {command} {arguments!r}")
        message = {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        self._process.link.write(encode_frame(json.dumps(message).encode()))
        return future

    async def answer(self, future: asyncio.Future[dict[str, Any]], timeout_s: float = SLOW_S) -> dict[str, Any]:
        """Raises Wedged."""
        done, _ = await asyncio.wait([future], timeout=timeout_s)
        if not done and timeout_s < SLOW_S:
            self.late.append(f"{self.log[-1]}: not answered in {timeout_s:g} s")
            done, _ = await asyncio.wait([future], timeout=SLOW_S)
        if not done:
            raise Wedged(self.story("not answered"))
        return future.result()

    async def poke(self, command: str, arguments: Any) -> None:
        """A request, then `threads`: this one must be answered in time, and so must all at the end."""
        self.send(command, arguments)
        if command in SLOW:
            self.patience_s = SLOW_S
        if not self._ended:
            await self.answer(self.send("threads", {}), self.patience_s)

    async def leave(self) -> None:
        """Disconnects; everything is answered then, and the proxy ends by itself."""
        if not self._ended:
            await self.answer(self.send("disconnect", {"terminateDebuggee": True}), patient(5.0))
            pending = [future for future in self._waiting.values() if not future.done()]
            if pending:
                await asyncio.wait(pending, timeout=patient(5.0))
        self._process.link.close()
        try:
            await asyncio.wait_for(self._process.exited.wait(), patient(8.0))
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise Wedged(self.story("the proxy runs on")) from error
        never = [seq for seq, future in self._waiting.items() if not future.done()]
        if never:
            raise Wedged(self.story(f"never answered: {never}"))
        if self.late and not _is_busy():
            raise Wedged(self.story("\n".join(self.late)))
        if "Traceback" in self._process.last_words:
            raise AssertionError(self.story(self._process.last_words))

    async def close(self) -> None:
        """Whatever has become of it."""
        with contextlib.suppress(Exception):
            await self._process.end()

    async def event(self, name: str) -> dict[str, Any]:
        """The body of the next one of that name. Raises Wedged."""
        try:
            while (event := await asyncio.wait_for(self._events.get(), SLOW_S))["event"] != name:
                pass
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise Wedged(self.story(f"no event {name}")) from error
        return event.get("body") or {}

    def story(self, end: str) -> str:
        """What was said, and how it ended."""
        return "\n".join([f"{self._about.name}:", *self.log[-40:], end, self._process.last_words])

    # -- the link ---------------------------------------------------------------------------------------------------

    def _on_data(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            message = json.loads(body.decode(errors="replace"))
            if message["type"] == "response":
                self._note(f"<- {message['request_seq']} {message['command']} {message['success']} "
                           f"{str(message.get('message') or '')[:80]}")  # fmt: skip
                future = self._waiting[message["request_seq"]]
                assert not future.done(), self.story(f"answered twice: {body!r}")
                future.set_result(message)
            elif message["type"] == "event":
                if message["event"] not in ("output", "module", "debugpySockets"):
                    self._note(f"<- event {message['event']} {str(message.get('body'))[:80]}")
                self._events.put_nowait(message)
            else:
                self._refuse(message)

    def _refuse(self, message: dict[str, Any]) -> None:
        """A reverse request: this client can do nothing for the adapter."""
        self._seq += 1
        reply = {"seq": self._seq, "type": "response", "request_seq": message["seq"], "success": False}
        self._process.link.write(encode_frame(json.dumps(reply | {"command": message["command"]}).encode()))

    def _on_end(self) -> None:
        self._ended = True
        self._note("<- the end")
        for seq, future in self._waiting.items():
            if not future.done():
                self._note(f"{seq} was not answered before")

    def _note(self, text: str) -> None:
        self.log.append(f"{time.monotonic() - self._started:7.3f} {text}")


def _is_busy() -> bool:
    """Whether this machine does so much else that a second tells nothing."""
    return psutil.getloadavg()[0] > (psutil.cpu_count() or 1)

"""A client of `dap-ai serve --backend agents` around a live agent, before a scripted model."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from tests.patience import at_worst

WAIT_S = at_worst(60.0)
AGENTS = Path(__file__).parents[1] / "agents"
KEY = "sk-planted-key-4711"


class Session:
    """Sends requests and waits for what comes, in order of time; `seen` are all messages."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.seen: list[dict[str, Any]] = []
        self.is_over = False
        self._seq = 0
        self._came = threading.Condition()
        self._looked = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            length = int(line.split(b":")[1]) if b":" in line else 0
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            with self._came:
                self.seen.append(message)
                self._came.notify_all()
        with self._came:
            self.is_over = True
            self._came.notify_all()

    def post(self, name: str, /, **arguments: Any) -> int:
        self._seq += 1
        self._write({"seq": self._seq, "type": "request", "command": name, "arguments": arguments})
        return self._seq

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def reply(self, request: dict[str, Any], body: dict[str, Any]) -> None:
        self._seq += 1
        row = {"seq": self._seq, "type": "response", "request_seq": request["seq"], "command": request["command"]}
        self._write({**row, "success": True, "body": body})

    def refuse(self, request: dict[str, Any], why: str) -> None:
        self._seq += 1
        row = {"seq": self._seq, "type": "response", "request_seq": request["seq"], "command": request["command"]}
        self._write({**row, "success": False, "message": why})

    def until(self, wanted: Callable[[dict[str, Any]], bool], first: int = 0) -> dict[str, Any]:
        """The first message from the `first` on for which `wanted` holds."""
        end = time.monotonic() + WAIT_S
        with self._came:
            while True:
                for message in self.seen[first:]:
                    if wanted(message):
                        return message
                left = end - time.monotonic()
                assert left > 0 and not self.is_over, f"it did not come; there is {self.seen[-6:]}"
                self._came.wait(left)

    def answer(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        number = self.post(name, **arguments)
        return self.until(lambda m: m["type"] == "response" and m["request_seq"] == number)

    def ask(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        message = self.answer(name, **arguments)
        assert message["success"], message
        return message.get("body") or {}

    def refused(self, name: str, /, **arguments: Any) -> str:
        message = self.answer(name, **arguments)
        assert not message["success"], message
        return str(message["body"]["error"]["format"])

    def event(self, *names: str) -> dict[str, Any]:
        """The next event of one of these names that nobody has waited for; its body, with the name as `event`."""
        message = self.until(lambda m: m.get("event") in names, self._looked)
        self._looked = self.seen.index(message) + 1
        return {**(message.get("body") or {}), "event": message["event"]}

    # -- an agent ----------------------------------------------------------------------------------------------------

    def launch(
        self,
        command: Sequence[str],
        cwd: Path,
        *,
        filters: Sequence[Any] = (),
        functions: Sequence[Any] = (),
        **more: Any,
    ) -> None:
        """The agent runs."""
        able = dict.fromkeys(("supportsRunInTerminalRequest", "supportsStartDebuggingRequest"), True)
        self.ask("initialize", adapterID="agents", pathFormat="path", **able)
        self.post("launch", command=list(command), cwd=str(cwd), out=str(cwd.parent / "recording"), **more)
        self.event("initialized")
        options = [{"filterId": each} if isinstance(each, str) else each for each in filters]
        self.ask("setExceptionBreakpoints", filters=[], filterOptions=options)
        self.ask(
            "setFunctionBreakpoints",
            breakpoints=[{"name": each} if isinstance(each, str) else each for each in functions],
        )
        self.ask("configurationDone")

    def held(self) -> str:
        """The first line of what is held at the next stop: kind, tool, text."""
        self.stop = self.event("stopped", "terminated")
        assert self.stop["event"] == "stopped", self.stop
        return self.shown()

    def frames(self) -> list[dict[str, Any]]:
        return self.ask("stackTrace", threadId=self.stop["threadId"])["stackFrames"]

    def shown(self) -> str:
        return str(self.frames()[0]["name"])

    def document(self) -> Path:
        """Of the held event."""
        return Path(self.frames()[1]["source"]["path"])

    def go(self, command: str = "continue") -> None:
        self.ask(command, threadId=self.stop["threadId"])

    def console(self, text: str) -> str:
        frame = self.frames()[0]["id"]
        return str(self.ask("evaluate", expression=text, context="repl", frameId=frame)["result"])

    def over(self) -> int:
        """The agent's exit code."""
        code = self.event("exited")["exitCode"]
        self.event("terminated")
        return int(code)

    def printed(self, category: str = "stdout") -> str:
        bodies = [m["body"] for m in self.seen if m.get("event") == "output"]
        return "".join(body["output"] for body in bodies if body.get("category") == category)


@contextlib.contextmanager
def session(environment: dict[str, str]) -> Generator[Session]:
    """`dap-ai serve --backend agents`; nothing of it is left."""
    environ = {**os.environ, "OPENAI_API_KEY": KEY, **environment}
    command = [str(Path(sys.executable).with_name("dap-ai")), "serve", "--backend", "agents"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
    found = Session(process)
    try:
        yield found
        with contextlib.suppress(AssertionError, OSError):
            found.answer("disconnect")
    finally:
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait(WAIT_S)
        process.stdout.close()

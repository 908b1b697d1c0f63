"""A real kernel, as a front end drives it: cells with ids, what they show, what they put into the next input."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field

from jupyter_client.manager import start_new_kernel

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
REPLY_S = 120


@dataclass
class Shown:
    """What a cell has shown: `updates` are the texts of its last display as they came."""

    number: int = 0
    status: str = ""
    updates: list[str] = field(default_factory=list)
    streams: str = ""
    error: str = ""
    next_input: str = ""

    @property
    def text(self):
        """The answer, as it stands in the end."""
        return self.updates[-1] if self.updates else ""


class Kernel:
    """Runs cells one after the other."""

    def __init__(self, client) -> None:
        self._client = client

    def run(self, code, cell_id=None, deleted=()) -> Shown:
        metadata = {"cellId": cell_id, "deletedCells": list(deleted)} if cell_id else {}
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        message = self._client.session.msg("execute_request", content, metadata=metadata)
        self._client.shell_channel.send(message)
        shown = Shown()
        while True:
            said = self._client.get_iopub_msg(timeout=REPLY_S)
            if said["parent_header"].get("msg_id") == message["header"]["msg_id"] and self._hear(said, shown):
                break
        reply = self._reply(message["header"]["msg_id"])
        if reply["status"] == "aborted":  # it still cleared up after a cell that has failed
            return self.run(code, cell_id, deleted)
        shown.number, shown.status = reply["execution_count"], reply["status"]
        for payload in reply.get("payload", ()):
            if payload["source"] == "set_next_input":
                shown.next_input = payload["text"]
        return shown

    def _reply(self, to):
        while True:
            reply = self._client.get_shell_msg(timeout=REPLY_S)
            if reply["parent_header"].get("msg_id") == to:
                return reply["content"]

    def _hear(self, said, shown) -> bool:
        content = said["content"]
        match said["msg_type"]:
            case "display_data" | "update_display_data":
                shown.updates.append(content["data"].get("text/markdown", ""))
            case "stream":
                shown.streams += content["text"]
            case "error":
                shown.error = _COLOURS.sub("", "\n".join(content["traceback"]))
            case "status":
                return content["execution_state"] == "idle"
            case _:
                pass
        return False


@contextlib.contextmanager
def kernel(name="python3"):
    manager, client = start_new_kernel(kernel_name=name)
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)

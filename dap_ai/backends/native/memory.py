"""Words of a native program's memory, by whichever of DAP's requests the adapter has."""

from __future__ import annotations

import base64
import re

from dap_ai.backends.native.faults import tried
from dap_ai.protocol.contracts.backend import Request

_NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)")
_THREAD_NUMBER = "*(int *)($fs_base + 720)"
"""glibc's `struct pthread` has the system's number of its thread there, on x86-64."""


class Memory:
    """Reads single words. Raises NotStopped."""

    def __init__(self, request: Request, *, hovers: bool) -> None:
        self._request = request
        self._hovers = hovers
        self._by_request = True

    async def number(self, address: int, frame_id: int) -> int | None:
        """The 32-bit number at an address; None: it cannot be read."""
        if self._by_request:
            wanted = {"memoryReference": hex(address), "count": 4}
            data = base64.b64decode(str((await tried(self._request, "readMemory", wanted)).get("data") or ""))
            if len(data) == 4:
                return int.from_bytes(data, "little", signed=True)
            self._by_request = False
        told = await self.hovered(f"*(int *){address:#x}", frame_id)
        return int(told, 0) if told else None

    async def thread_number(self, frame_id: int) -> int | None:
        """The system's number of the thread of a frame, in gdb."""
        told = await self.hovered(_THREAD_NUMBER, frame_id)
        return int(told, 0) if told else None

    async def hovered(self, text: str, frame_id: int) -> str | None:
        """The number that an expression gives, as text. `text` is a constant of ours, or one with an address."""
        if not self._hovers:
            return None
        arguments = {"expression": text, "context": "hover", "frameId": frame_id}
        found = _NUMBER.match(str((await tried(self._request, "evaluate", arguments)).get("result", "")))
        return found[0] if found else None

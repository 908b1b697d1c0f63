"""A debug adapter that bridges DAP on stdin and stdout to a Jupyter kernel's debugger.

Run as `python -m dap_ai.backends.jupyter [--beside] [KERNEL]`, with the kernel's connection file. The last line on
stderr is the error message, if there is an error.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from typing import Any

from dap_ai.backends.jupyter.bridge import Bridge, watch
from dap_ai.backends.jupyter.kernel import CannotReachError, Kernel, found
from dap_ai.protocol.wire.framing import FrameReader, encode_frame

_CHUNK = 1 << 16


class _Client:
    """The DAP client on stdin and stdout.

    A thread reads stdin, because not every system can wait for a pipe.
    """

    def __init__(self) -> None:
        self._seq = 0
        self.requests: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def send(self, message: dict[str, Any]) -> None:
        self._seq += 1
        sys.stdout.buffer.write(encode_frame(json.dumps({"seq": self._seq, **message}).encode()))
        sys.stdout.buffer.flush()

    def read(self, loop: asyncio.AbstractEventLoop) -> None:
        reader = FrameReader()
        while data := os.read(0, _CHUNK):
            for body in reader.feed(data):
                loop.call_soon_threadsafe(self.requests.put_nowait, json.loads(body))
        loop.call_soon_threadsafe(self.requests.put_nowait, None)


async def _bridged(wanted: str, *, beside: bool) -> None:
    loop, client = asyncio.get_running_loop(), _Client()

    def end() -> None:
        client.requests.put_nowait(None)

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name) and sys.platform != "win32":
            loop.add_signal_handler(getattr(signal, name), end)
    threading.Thread(target=client.read, args=(loop,), daemon=True).start()
    kernel = Kernel(found(wanted))
    bridge = Bridge(kernel, client.send, beside=beside)
    await kernel.open(bridge.heard)

    def lost() -> None:
        for event, body in (("terminated", {}), ("exited", {"exitCode": 0})):
            client.send({"type": "event", "event": event, "body": body})
        end()

    watching = asyncio.create_task(watch(kernel, lost))
    try:
        while not bridge.over and (request := await client.requests.get()) is not None:
            await bridge.receive(request)
    finally:
        watching.cancel()
        await bridge.leave()
        await kernel.close()


def main() -> None:
    """Run the bridge until the client disconnects."""
    words = [word for word in sys.argv[1:] if word and word != "--beside"]
    try:
        asyncio.run(_bridged(words[0] if words else "", beside="--beside" in sys.argv))
    except CannotReachError as error:
        print(error, file=sys.stderr)  # noqa: T201  shown as the adapter's last error output
        os._exit(1)
    except BrokenPipeError:
        pass
    os._exit(0)  # a thread reads stdin, and cannot be interrupted


if __name__ == "__main__":
    main()

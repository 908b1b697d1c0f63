"""The proxy between a DAP client and a debug adapter: everything passes through, and `ask` is answered.

    bytes -> FrameReader.feed -> Pump.receive_all -> Session.receive -> [ToBackend(body)] -> link.write

All of it runs in the callback that brought the bytes: no task switch, no queue. What one read makes us write goes out
in one write. `session`, `asks`, `past` and `state` decide, without input or output; `io` does what they decide.

Nothing grows without end: unsent bytes above 4 MB stop the reading of the other side, a message above 256 MB ends its
stream, and a backend that reads nothing for 10 s is ended. The client is read once more all the same, because its next
message may be `disconnect`.

The proxy knows neither the agent nor any backend: `io/ports.py` declares what it needs of them.
"""

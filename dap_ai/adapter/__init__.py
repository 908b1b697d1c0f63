"""The proxy between a DAP client and a debug adapter: forwards every message and answers `ask` requests itself.

    bytes -> FrameReader.feed -> Pump.receive_all -> Session.receive -> [ToBackend(body)] -> link.write

The callback that receives the bytes does all of this, without a task switch or a queue. It sends all messages that
result from one read in one write. The packages `session`, `asks`, `past` and `state` decide what to do, without input
or output; `io` carries out their decisions.

Memory use is bounded. Above 4 MB of unsent bytes on one side, dap_ai stops reading the other side. It reads the client
once more, because the next message may be `disconnect`. A message above 256 MB ends its stream, and a backend that
reads nothing for 10 s is ended.

The proxy imports neither the agent nor any backend: `io/ports.py` declares what the proxy needs from them.
"""

"""An HTTP endpoint on loopback in the model's place: it passes everything on, as it comes, and records it.

Bytes go on piece by piece (`endpoint_server.py`, `upstream.py`); what was seen becomes notes, and off the agent's
path, in a
thread, `endpoint_recorder.py` puts them together over `apis/`. The endpoint has a token, so that no other user's
program gets
through it (`endpoint_token.py`). `request_route.py` is a request's way to the model and back, by the gate or not.
"""

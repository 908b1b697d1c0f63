"""HTTP endpoint on loopback in place of the model's server; forwards all traffic unchanged and records it.

`endpoint_server.py` and `upstream.py` forward bytes piece by piece; the traffic becomes notes, which
`endpoint_recorder.py` assembles with `apis/` in a thread that does not delay the agent. A token keeps other users'
programs from using the endpoint (`endpoint_token.py`). `request_route.py` is a request's path to the model and back,
through the gate (which pauses agents) if there is one.
"""

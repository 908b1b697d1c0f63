"""Sockets, processes, tasks and timers of a session: links to its client, its backend, its agent and its family.

This package decides nothing about a message: it turns bytes into events for `Session` and carries out the effects that
`Session` returns.

1. Nothing waits for a cancelled question (Ctrl-C, SIGTERM, a closed pipe, a disconnected client): long computations
   run in threads that are not joined at exit (`system/thread_pool.py`). The process, with everything it started, ends
   within a second; a second Ctrl-C does not shorten that.
2. Limits that give up on an adapter, a language server or a copy grow with the load of the machine
   (`system/load_limits.py`); limits that a user sets are in real time.
3. An internal error of dap_ai ends its session and no other (`error_boundary.py`); the client gets the reason.
4. Only processes and sockets of the same user are accepted (`transport/admission.py`).
"""

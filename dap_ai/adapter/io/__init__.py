"""Sockets, processes, tasks and timers around a session: its links to client and backend, its agent, its family.

No decision about a message belongs here: bytes become events for `Session`, and its effects are carried out.

1. A question that is cancelled (Ctrl-C, SIGTERM, a closed pipe, a client that is gone) is waited for by nobody: long
   computations run in threads that are not joined at the end (`system/thread_pool.py`). The process, with all that it
   has
   started, is gone within a second; a second Ctrl-C does not cut that end short.
2. Limits that give up an adapter, a language server or a copy grow with the load of the machine
(`system/load_limits.py`);
   those that a user sets are by the clock.
3. An error of dap_ai's own ends its session and no other (`error_boundary.py`): the client reads why.
4. Only processes and sockets of the same user are let in (`transport/admission.py`).
"""

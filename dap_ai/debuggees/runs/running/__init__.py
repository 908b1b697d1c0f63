"""Debugs a live agent: a session on its recording, which is still being written, and the agent's processes.

Extends the session of `adapter`, and reads the recording as it grows; the gate (in `live`) reports which events are
stopped. The modules that decide do no input or output (`live_session`, `agent_holds`, `live_moves`, `edit_requests`,
`edit_documents`, `fork_command`, `gate_breakpoints`, `live_launch`). `live_stage.py` (processes, the recording) and
`agent_output.py` (the agent's output, through files) do.

`attached/` is not a package: its script runs first in an agent's Python that is itself debugged. `adapter/` starts
debugpy's adapter for that Python, with a check of the user; that session is a child session, handled like debugpy's.
"""

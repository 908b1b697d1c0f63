"""A live agent in the debugger: the session over a recording that is being written, and the agent that writes it.

It is the session of `adapter`, whose recording is read as it grows; the gate says what is held. What decides does no
input or output (`session`, `present`, `moving`, `changing`, `edits`, `forking`, `table`, `wanted`); `live_stage.py`
(processes, the recording) and `agent_output.py` (the agent's output, through files) do.

`attached/` is no package: it is what an agent's Python runs first where it is debugged itself. `adapter/` starts
debugpy's adapter for it, behind the check of the user: that session is a child, read as debugpy's are.
"""

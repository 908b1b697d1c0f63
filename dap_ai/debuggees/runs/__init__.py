"""Recorded and live runs of LLM agents, a kind of debuggee: read, normalized, analysed, debugged, run again.

    readers, layouts -> model.Run -> analysis, export, scan -> adapter (recorded) -> live, running (at work)
    -> answer, commands

What reads runs knows no DAP and no editor, writes nothing into a run, and executes nothing of it; only `adapter` and
the rooms above it speak DAP, and only `live` and `running` start an agent.

A `Ref` leads from any event to the very bytes of the file that tell it (`refs.py`). What the readers leave out,
`account.py` lists. Files are read within bounds (`run_files.py`).
"""

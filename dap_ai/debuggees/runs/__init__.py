"""Debuggees of the kind `run`: recorded and live runs of LLM agents, which are read, analysed, debugged and rerun.

    readers, layouts -> run_model.Run -> analysis, export, scan -> adapter (recorded) -> live, running (live agents)
    -> answer, commands

The readers know neither DAP nor an editor, write nothing into a run and execute nothing from it. Only `adapter` and the
packages that build on it speak DAP; only `live` and `running` start an agent.

Each event has a `Ref` that leads to its original bytes in the artefact (`refs.py`). `account.py` lists what the readers
leave out. `run_files.py` reads files within size limits.
"""

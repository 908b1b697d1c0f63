"""Debuggee kind `run`: reads, analyses, debugs and reruns runs of LLM agents, recorded or live.

    readers, layouts -> run_model.Run -> analysis, export, scan -> adapter (recorded) -> live, running (live agents)
    -> answer, commands

The readers know neither DAP nor an editor, write nothing into a run and execute nothing from it. Only `adapter` and the
packages that build on it speak DAP; only `live` and `running` start an agent.

Each event has a `Ref`, the location of its original bytes in the run's files (`refs.py`).
`tests/unit/debuggees/runs/accounting.py` measures what the readers leave out. `run_files.py` reads files within size
limits.
"""

"""The agent: reads the stopped program through `Debugger` and answers questions, with or without a language model.

    session_agent.py -> case/stop_reader.py (one inspection) -> providers/ (offline, or a model in loop/)
    -> case/evidence.py (rereads cited values) -> guard/masked.py -> the client

Each question is answered within one stop. Reading never changes the program; guard/ decides what else a model may do.
Only `Safe` text, which the masker makes, leaves the process. Nothing here depends on a particular kind of debuggee, a
debug adapter or DAP's transport: kinds come from the entry points `dap_ai.kinds`, providers from `dap_ai.providers`.
"""

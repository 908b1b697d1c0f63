"""Whoever answers: reads the stopped program through `Debugger`, then writes the answer, with or without a model.

    session_agent.py -> case/stop_reader.py (one visit of the inspector) -> providers/ (offline, or a model in loop/)
    -> case/evidence.py (what is cited is read again) -> guard/masked.py -> the client

A question is answered within one stop. Nothing that is read here changes the program; what a model may do beyond that,
guard/ decides. Nothing leaves but what the masker made `Safe`. No room here knows a kind of debuggee, a debug adapter
or DAP's transport: kinds come by the entry points `dap_ai.kinds`, providers by `dap_ai.providers`.
"""

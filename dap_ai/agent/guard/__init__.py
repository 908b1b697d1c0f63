"""The limits of the agent: what it may do to the program, what it may read, and what may leave the machine.

Every tool call passes `tool_gate.py`, which applies the level, the lists and the confirmation of `policy.py`. Each
decision becomes a status and a line of the transcript. Data from the program (`Raw`) is masked as the agent reads it
(`masked_debugger.py`, `masked_values.py`). Requests to a model, answers and errors accept only `Safe` text, which only
the masker makes (`masked.py`, docs/decisions/0014).

No tool, provider or report may bypass this package: nothing else masks.
"""

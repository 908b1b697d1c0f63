"""The limits of the agent: what it may do to the program, what it may read, and what may leave the machine.

Every tool call passes `tool_gate.py`: level, lists, confirmation (`policy.py`). Each decision becomes a status and a
line of the transcript. On the way in, data from the program (`Raw`) is masked as it is read (`masked_debugger.py`,
`masked_values.py`). On the way out, requests to a model, answers and errors accept only `Safe` text, which only the
masker makes (`masked.py`, docs/decisions/0014).

No tool, provider or report may bypass this package: nothing else masks.
"""

"""The limits of the agent: what it may do to the program, what it may read, and what may leave the machine.

Every call of a tool passes `tool_gate.py`: level, lists, confirmation (`policy.py`). Each decision becomes a status
and a
line of the transcript. On the way in, whatever the program says (`Raw`) is masked as it is read
(`masked_debugger.py`, `masked_values.py`). On the way out, requests to a model, answers and errors take only `Safe`
text, which nothing but the masker makes (`masked.py`, docs/decisions/0014).

No tool, provider or report may go around this room; what is not masked here is not masked at all.
"""

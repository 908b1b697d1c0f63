"""A debug adapter for runs, recorded or live, in a process of its own that recipe.py starts.

A DAP request goes in, responses and events come out: no clock, socket or file but in `__main__`, which does the input
and output and writes the documents, `document_folder.py`, and the threads that read on and analyse.

`run_session.py` says which request is whose; `cursor.py` where the debuggee stands and where a move leads. What a
recorded
run cannot do is refused by the same words in the proxy (`read_only.py`). While a large run is read, the session is told
how far (`run_growth.py`). Conditions are expressions that call nothing.
"""

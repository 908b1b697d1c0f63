"""A language model at work: query, tool calls, append, within a budget, until it reports.

Nothing that a model says is believed: its arguments are checked, what it cites is read again, its fixes are tried.
`toolbox.py` runs each call once within an epoch, cuts its result, and fences it as data. A model that repeats itself is
stopped at its second identical reply. The loop holds back from its budget what the last reply, the report, costs.
The conversation is kept for follow-up questions (`conversation.py`) and written to a file (`transcript_file.py`).
"""

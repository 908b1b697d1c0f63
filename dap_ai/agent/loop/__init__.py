"""The agent loop of a language model: query, run tool calls, append results, within a budget, until the model reports.

Nothing from a model is trusted: its arguments are checked, cited values are read again, its fixes are tried.
`toolbox.py` runs each call once per epoch, cuts the result, and fences it as data. A model that repeats itself is
stopped at its second identical reply. The loop reserves part of the budget for the final report. The conversation is
kept for follow-up questions (`conversation.py`) and written to a file (`transcript_file.py`).
"""

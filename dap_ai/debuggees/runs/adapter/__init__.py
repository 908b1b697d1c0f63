"""Debug adapter for recorded and live runs, in a separate process that recipe.py starts.

The adapter takes requests and returns responses and events. Only `__main__` (input, output, writing documents),
`document_folder.py` and the threads that read and analyse use a clock, a socket or a file.

`run_session.py` dispatches requests; `cursor.py` holds the current position and computes moves. Requests that a
recorded run cannot serve get the same error from the proxy and the adapter (`read_only.py`). While a large run is being
read, the session is notified of the progress (`run_growth.py`). Conditions are expressions that cannot call functions.
"""

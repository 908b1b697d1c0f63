"""The data of a stop: frames with source and values, exceptions, threads, and the files around them.

`stop_reader.py` reads all of it in one inspection; a second inspection evaluates what the first found relevant.
Without an inspector, `scopes` and `variables` of the three innermost frames are read, and the answer says so. An
exception held by a value, or sent by another process, has its own frames (`kept_exceptions.py`,
`remote_exceptions.py`).

1. Frames are numbered from 0, the innermost, instead of by the adapter's ids, so that a recorded conversation replays
in another process (docs/decisions/0007).
2. A cited value is read again before it is called confirmed (`evidence.py`).
3. Files are read only within the folders of `source_roots.py`: links are resolved first, and git's ignore rules apply
without running git.
"""

"""The stop as it was read: frames with source and values, exceptions, threads, and the files around them.

`stop_reader.py` asks the inspector for all of it in one visit; a second visit brings what the first made interesting.
Without a
inspector, `scopes` and `variables` of the three innermost frames are read, and the answer says that it has no more. An
exception that a value holds, or that another process sent, has frames of its own (`kept_exceptions.py`,
`remote_exceptions.py`).

1. Frames have numbers (0 is the innermost), not the adapter's ids, so that a recorded conversation replays in another
   process (docs/decisions/0007).
2. A value that is cited is read again before it is called confirmed (`evidence.py`).
3. Files are read within `source_roots.py` only: links are followed first, and git's ignore rules apply without running
git.
"""

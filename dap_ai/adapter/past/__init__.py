"""`stepBack` for adapters that have none: moments of a run in a copy, shown as if the program stood there. Pure.

The past of a program is another run of it (docs/decisions/0023). Once it is shown, moves and reads of that thread
belong to the past; all other requests go to the backend as ever. One run in a copy is under way at a time, and
requests wait meanwhile. The ids of its frames, scopes and values are ours, and never reach the backend.
"""

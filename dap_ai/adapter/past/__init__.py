"""`stepBack` for adapters without it: shows moments of a rerun in a copy as if the program had stopped there. Pure.

The past of a program is another run of it (docs/decisions/0023). While it is shown, moves and reads of that thread
belong to the past; all other requests go to the backend as usual. One rerun in a copy is active at a time, and requests
wait for it. The ids of its frames, scopes and values are ours, and never reach the backend.
"""

"""`stepBack` for adapters without it: reruns the program in a copy, and shows its moments as stops.

This package does no I/O itself.

dap_ai shows a program's past by running the program again (docs/decisions/0023). Meanwhile it serves moves and reads of
that thread from the rerun; all other requests go to the backend as usual. One rerun is active at a time, and requests
wait for it. dap_ai assigns the ids of the rerun's frames, scopes and values, and never sends them to the backend.
"""

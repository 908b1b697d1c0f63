"""The value path: from a value in question back to where it was born, along what one run has done.

`path_walk.py` goes back a step at a time: where the value was made (`names`, `calls`, `items`), what goes into it
(`operands`), which of these is to blame (`blaming`, pure arithmetic), and what it was (`spots` in frames, `recorded` in
the run again). Every step states an observed value. docs/protocol.md has its form on the wire.
"""

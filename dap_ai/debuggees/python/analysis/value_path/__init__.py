"""Finds the value path: the steps from a value in question back to its origin, as observed in one run.

`path_walk.py` goes back one step at a time: where the value was made (`name_sources`, `call_results`, `item_sources`),
its operands (`expression_operands`), which operand is to blame (`operand_blame`, pure arithmetic), and its value there
(`path_spots` from frames, `recorded_values` from the rerun). Every step states an observed value. docs/protocol.md
describes the format on the wire.
"""

"""Parses C, C++ and Rust: functions, statements, expressions, writes, and reports of panics and sanitizers. Pure.

Only `grammar.py` uses tree-sitter. One rule per kind of syntax node gives its operands, text and Node; a node without a
rule is refused. `frame_folding.py` decides which frames are the user's. Nothing here reads values.
"""

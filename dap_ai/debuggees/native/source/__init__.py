"""Parses C, C++ and Rust source, and the reports of panics and sanitizers in a program's output. Does no I/O.

Only `grammar.py` uses tree-sitter. One rule per kind of syntax node determines its operands, text and Node; a node
without a rule is refused. `frame_folding.py` decides which frames are the user's. No code here reads values of the
program.
"""

"""C, C++ and Rust as text: functions, statements, expressions, writes, and reports of panics and sanitizers. Pure.

`grammar.py` is the one owner of tree-sitter. One rule for each kind of syntax node gives its operands, text and Node; a
node without a rule is refused. `frame_folding.py` says which frames are the user's. Nothing here has seen a value.
"""

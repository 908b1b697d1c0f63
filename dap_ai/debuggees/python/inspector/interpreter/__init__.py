"""Evaluates expressions, sent as JSON nodes, on stored values without running code of the program.

The proxy parses expressions and sends them as nodes (the Node language of `protocol/contracts/inspection.py`,
docs/decisions/0002). Each node is interpreted by the exact types of its operands; a node that would need the program's
code is refused with a reason.
"""

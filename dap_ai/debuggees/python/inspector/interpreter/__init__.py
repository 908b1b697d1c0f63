"""Evaluates the Node language (`protocol/contracts/inspection.py`) on stored values: no code of the program runs.

The proxy parses expressions and sends them as JSON nodes (docs/decisions/0002). Each node is interpreted by the exact
types of its operands; a node that would need the program's code is refused, with the reason.
"""

"""Frameworks that the hook knows, a file each: its rows of the table, and how its calls and results look.

To add one: a file here, its modules in `finding.MODULES`, and a line in tests/integration/test_hook_contract.py. A
framework is never imported from here: the hook sees it when the agent imports it.
"""

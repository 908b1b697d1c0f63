"""The command-line commands, one module per command, imported on first use.

`wiring.py` is the only module that imports proxy, agent and backends together; they do not import each other. Further
commands are found through the entry point group `dap_ai.commands`. No command names a kind of debuggee: whatever
differs between kinds is in the kind's `Target`.
"""

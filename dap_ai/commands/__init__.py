"""Commands that a person types: one module each, imported when it is used; `wiring.py` joins the rooms of the core.

`wiring.py` is the one place where proxy, agent and backends meet: they do not know each other. Commands of a kind come
by the entry points `dap_ai.commands`. No command names a kind: what differs, the kind's `Target` says.
"""

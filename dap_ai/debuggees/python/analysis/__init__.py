"""The offline analyst for Python: which line holds the mistake, and what proves it, without a model.

    syntax, failure -> record (runs again) -> slice, contrast -> ranking -> experiments -> value_path, claims, questions

Each room imports only those to its left. Nothing here reads the debuggee itself: values come from the stop that was
read, runs from copies that `snapshots` makes. At a breakpoint, or at the level `observe`, nothing is run. A pass is
evidence and not proof: what is called verified, `experiments` says. Evidence ranks, rules explain
(docs/decisions/0022).
"""

"""The offline analyst for Python: finds which line holds the mistake, and what proves it, without a model.

    syntax, failure -> record (reruns) -> slice, contrast -> ranking -> experiments -> value_path, claims, questions

Each package imports only those to its left. Nothing here reads the debuggee itself: values come from the inspected
stop, runs from copies that `snapshots` makes. At a breakpoint, or at level `observe`, nothing is run. A pass is
evidence, not proof: `experiments` defines what counts as verified. Evidence ranks, rules explain (docs/decisions/0022).
"""

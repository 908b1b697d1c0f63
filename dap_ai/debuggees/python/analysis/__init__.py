"""The offline analyst for Python: finds the faulty line and the evidence for it, without a language model.

    syntax, failure -> record (reruns) -> slice, contrast -> ranking -> experiments -> value_path, claims, questions

Each package imports only the packages to its left. The analyst never reads the debuggee itself: values come from the
inspected stop, and code runs only in copies that `snapshots` makes. At a breakpoint, or at level `observe`, it runs
nothing. A passing check is evidence, not proof: `experiments` defines what counts as verified. Evidence ranks the
suspects, and rules explain them (docs/decisions/0022).
"""

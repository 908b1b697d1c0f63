"""Where a run went wrong: rules that go back from a symptom at its end, ranked by how sure each is. Pure.

Each rule yields findings with their events, or none: `verifier_rules.py` traces back from what the verifier printed,
`missing_rules.py` from what is not where it should be, `no_change_rules.py` from work that was handed in without a
change. `blame.py`
says which step wrote each line that is left.
"""

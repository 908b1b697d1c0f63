"""Where a run went wrong: rules that go back from a symptom at its end, ranked by how sure each is. Pure.

Each rule yields findings with their events, or none: `verdict.py` traces back from what the verifier printed,
`missing.py` from what is not where it should be, `lacking.py` from work that was handed in without a change. `blame.py`
says which step wrote each line that is left.
"""

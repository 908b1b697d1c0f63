"""Finds where a run went wrong: rules trace symptoms at its end back to a step, and are ranked by confidence. Pure.

Each rule yields suspects with their evidence, or none. `verifier_rules.py` starts at the verifier's output,
`missing_rules.py` at missing libraries and misplaced files, `no_change_rules.py` at work submitted without a change.
`blame.py` maps each remaining line to the step that wrote it.
"""

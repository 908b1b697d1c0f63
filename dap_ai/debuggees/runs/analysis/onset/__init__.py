"""Finds the step where a run went wrong.

Rules start at a symptom near the end of the run and trace the symptom back to a step. Each rule yields suspects with
evidence, or nothing; suspects are ranked by confidence. `verifier_rules.py` starts at the verifier's output,
`missing_rules.py` at missing libraries and misplaced files, `no_change_rules.py` at work submitted without a change.
`blame.py` maps each remaining line to the step that wrote the line.
"""

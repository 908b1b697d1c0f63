"""Rule-based analysis of a recorded run: effects, checks, stages, a state tree, patterns and differences.

The rules are deterministic. They use no model and no clock, and read no files except the package's own tables.
Uncertain results are left out. The entry point is `dap_ai.debuggees.runs.analysis.analyse.analyse`.
"""

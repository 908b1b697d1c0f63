"""What a recorded run shows, by rule: effects, checks, stages, a tree, patterns and differences.

Pure and deterministic: no model, no clock, no file but the package's own tables. What the rules cannot be sure of
they do not say. The entry is `dap_ai.debuggees.runs.analysis.analyse.analyse`.
"""

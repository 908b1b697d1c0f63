"""Puts the answer about a native stop together, and the first context of a model."""

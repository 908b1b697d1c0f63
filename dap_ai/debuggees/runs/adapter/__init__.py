"""Runs of LLM agents as debuggees: a debug adapter of ours, in a process of its own, started by recipe.py."""

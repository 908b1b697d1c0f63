"""What a client sees of a stopped run: threads, stacks, scopes, documents, and the debug console.

All views are derived from the run's model and `run_facts.py`; nothing here moves the run.
"""

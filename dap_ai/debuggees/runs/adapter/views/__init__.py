"""What a client sees of a run that stands still: threads, stacks, scopes, documents, and the debug console.

Everything is made of the model of a run and of `facts.py`; nothing here moves the run.
"""

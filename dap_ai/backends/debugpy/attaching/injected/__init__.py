"""Code that runs inside a process that is attached to: sent as text, so it imports nothing of dap_ai.

Standard library only, and it works on every Python that debugpy attaches to.
"""

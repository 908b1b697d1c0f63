"""Where a live agent can be held: what is announced there, what is decided, what holds it. See contract.py."""

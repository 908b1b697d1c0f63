"""Recipes for debug adapters: how each is started, what it must never be sent, how its debuggee is read untouched.

A backend is found by name in the entry-point group `dap_ai.backends`; the built-in ones are found the same way. Any
other name is the command line of an adapter (`generic.py`), whose launch arguments pass as they are. What an adapter
must not be sent is data, measured by benchmarks/wedge.py: debugpy's in its recipe, that of others in
`known_adapters.py`, found
by what the adapter announces, and before that by its program's name. `spawn.py` starts adapters and ends their process
trees, `connected.py` connects to one that runs. A recipe imports neither the proxy nor the agent; docs/backends.md is
for whoever writes one.
"""

from __future__ import annotations


class UnknownBackendError(LookupError):
    """There is no backend of that name, nor a program."""

"""Recipes for debug adapters: how to start each adapter, which requests to withhold, how to read its debuggee.

A backend is found by name in the entry-point group `dap_ai.backends`, which also holds the built-in backends. Any other
name is taken as an adapter's command line (`generic.py`), whose launch arguments pass unchanged. Requests that must
never reach an adapter are data, measured by benchmarks/wedge.py. debugpy's are in its recipe. Those of other adapters
are in `known_adapters.py`, which identifies an adapter by its capabilities, and by its program's name until it has
announced them. `spawn.py` starts adapters and ends their process trees; `connected.py` connects to a running adapter. A
recipe imports neither the proxy nor the agent; docs/backends.md explains how to write a recipe.
"""

from __future__ import annotations


class UnknownBackendError(LookupError):
    """Raised if a name is neither the name of a backend nor that of a program."""

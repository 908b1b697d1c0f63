"""Recipes for debug adapters: how to start each, which requests it must never get, how to read its debuggee.

A backend is found by name in the entry-point group `dap_ai.backends`, the built-in ones included. Any other name is
taken as an adapter's command line (`generic.py`); its launch arguments pass unchanged. Requests that an adapter must
not get are data, measured by benchmarks/wedge.py: debugpy's are in its recipe, those of others in `known_adapters.py`,
selected by the adapter's capabilities, and before these are known by its program's name. `spawn.py` starts adapters and
ends their process trees; `connected.py` connects to a running one. A recipe imports neither the proxy nor the agent;
docs/backends.md explains how to write one.
"""

from __future__ import annotations


class UnknownBackendError(LookupError):
    """Raised if a name is neither a backend nor a program."""

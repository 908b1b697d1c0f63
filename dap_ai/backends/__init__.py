"""Debug adapters: how each is started, what it must never be sent, how its debuggee is read without being touched.

A backend is found by name in the entry-point group `dap_ai.backends`; the built-in ones use the same door. What is no
such name is the command line of any other adapter (generic.py).
"""

from __future__ import annotations


class UnknownBackendError(LookupError):
    """There is no backend of that name, nor a program."""

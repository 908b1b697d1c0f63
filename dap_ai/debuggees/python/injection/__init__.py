"""Brings inspector/ and snapshots/ into a debuggee through a debug adapter's `evaluate`, and asks them.

This is the proxy's side: it sends source as text and reads replies, and is what the kind registers for
`dap_ai.access`. The inspector is installed once per process and asked with one `evaluate` a visit; a request of a few
milliseconds begins several snapshots. Another version's inspector in the same process is never called.
"""

"""Installs inspector/ and snapshots/ in a debuggee through a debug adapter's `evaluate`, and queries them.

This is the proxy's side: it sends source as text and reads replies. The kind registers it for `dap_ai.access`. The
inspector is installed once per process and queried with one `evaluate` per inspection; one request of a few
milliseconds starts several snapshots. An inspector of another version in the same process is never called.
"""

"""Installs inspector/ and snapshots/ in a debuggee through a debug adapter's `evaluate`, and queries them.

This code runs in the proxy: it sends source as text and reads replies. The Python debuggee kind registers it for the
entry point group `dap_ai.access`. The inspector is installed once per process and queried with one `evaluate` per
inspection; one request of a few milliseconds starts several snapshots. An inspector of another version in the same
process is never called.
"""

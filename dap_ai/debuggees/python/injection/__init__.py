"""Brings inspector/ and snapshots/ into a debuggee through a debug adapter's `evaluate`, and asks them."""

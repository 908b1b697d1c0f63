"""Reads a stopped native program by DAP's `scopes`, `variables` and `hover`: values, memory, threads, locks."""

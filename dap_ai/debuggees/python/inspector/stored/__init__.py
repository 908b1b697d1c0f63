"""Reads a stopped program, and runs none of its code: the walker and what it describes with."""

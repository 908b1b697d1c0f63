"""Tools that need copies of a Python program: `slice`, `trace`, `history`, `try_fix`."""

"""A process of our own that gdb is tried on, see attach.py."""

from __future__ import annotations

import sys
import time

_S = 60.0


def main() -> None:
    """Writes a line once it runs, and sleeps."""
    sys.stdout.write("\n")
    sys.stdout.flush()
    time.sleep(_S)

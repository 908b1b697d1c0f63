"""A process that sleeps; attach.py uses it to test whether gdb can attach."""

from __future__ import annotations

import sys
import time

_S = 60.0


def main() -> None:
    """Write an empty line, which shows that the process runs, then sleep."""
    sys.stdout.write("\n")
    sys.stdout.flush()
    time.sleep(_S)

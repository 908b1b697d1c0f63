"""A sleeping process for testing gdb; see attach.py."""

from __future__ import annotations

import sys
import time

_S = 60.0


def main() -> None:
    """Write an empty line to signal that the process runs, then sleep."""
    sys.stdout.write("\n")
    sys.stdout.flush()
    time.sleep(_S)

"""Stops 400 calls deep; with the argument `endless` it never gets to the ground."""

import sys


def descend(level, ground):
    if level == ground:
        return level  # @bp
    return descend(level + 1, ground)


ground = -1 if "endless" in sys.argv else 400
print("ground", descend(0, ground), flush=True)

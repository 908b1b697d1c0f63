"""Movements in a file."""

from collections import namedtuple

Movement = namedtuple("Movement", "item count")


def read(path):
    """The movements of a file."""
    found = []
    for line in path.read_text().splitlines():
        item, count = line.split(",")
        found.append(Movement(item, int(count)))
    return found

"""Stock."""

from movements import read


def stock(path):
    """How many of each there are."""
    found = {}
    for movement in read(path):
        found[movement.item] = found.get(movement.item, 0) + movement.count
    return found

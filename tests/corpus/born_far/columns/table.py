"""Tables of numbers."""

from parsing import records


def sums(path):
    """The sum of each column."""
    found = {}
    for record in records(path):
        for name, number in record.items():
            found[name] = found.get(name, 0) + number
    return found

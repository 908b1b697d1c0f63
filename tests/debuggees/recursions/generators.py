"""SAYS: `item`"""


def flatten(item):
    try:
        parts = iter(item)
    except TypeError:
        yield item
        return
    for part in parts:
        yield from flatten(part)


list(flatten(["ab", 1]))

"""New rosters."""


def empty(names):
    """A roster without members."""
    return dict.fromkeys(names, [])

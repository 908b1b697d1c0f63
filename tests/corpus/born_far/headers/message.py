"""Messages."""

from splitting import name_of


def names(text):
    """The names of its headers, in order."""
    result = []
    for line in text.splitlines():
        name = name_of(line)
        result.append(name.lower())
    return result

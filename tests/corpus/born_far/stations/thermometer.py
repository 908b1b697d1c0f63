"""Readings."""


def celsius(text):
    """Degrees of `21.5C`."""
    number = text.strip().rstrip("CF")
    return float(number)

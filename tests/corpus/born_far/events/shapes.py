"""Areas."""


def area(a, b):
    """Of a rectangle; right for 2 and 2 by chance."""
    area = a + b
    return area

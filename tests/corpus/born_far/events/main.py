"""Handlers of events, and shapes."""

from handlers import on_event
from shapes import area


def main():
    """Checks both."""
    assert area(2, 2) == 4
    assert on_event("y", 1) == "Y"
    assert on_event("x", None) == "Y"


main()

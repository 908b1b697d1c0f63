"""Rosters."""

from making import empty


def enrol(names, requests):
    """The members of each club."""
    clubs = empty(names)
    for club, member in requests:
        clubs[club].append(member)
    return clubs

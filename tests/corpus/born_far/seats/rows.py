"""Seats."""


def by_seat(guests):
    """The name on each seat."""
    result = {}
    for guest in guests:
        result[guest["seat"]] = guest["name"]
    return result

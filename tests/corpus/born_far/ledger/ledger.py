"""Ledgers."""

from accounts import grouped


def balances(entries):
    """What each person owes."""
    return {name: sum(amounts) for name, amounts in grouped(entries).items()}


def largest(owed):
    """The person who owes most, and how much."""
    name = max(owed, key=lambda person: owed[person])
    return name, owed[name]

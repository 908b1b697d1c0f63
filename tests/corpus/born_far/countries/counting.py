"""Counts."""

from places import country_of


def counts(visitors):
    """How many visitors each country has."""
    found = {}
    for visitor in visitors:
        country = country_of(visitor)
        found[country] = found.get(country, 0) + 1
    return found


def most_common(visitors):
    """The country with most of them."""
    found = counts(visitors)
    return sorted(found, key=lambda country: -found[country])[0]

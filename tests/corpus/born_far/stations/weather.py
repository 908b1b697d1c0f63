"""Temperatures."""

from thermometer import celsius


def measured(path):
    """The temperature of each station."""
    found = {}
    for line in path.read_text().splitlines():
        station, text = line.split(",")
        found[station] = celsius(text)
    return found


def mean_of(temperatures):
    """Their mean."""
    return sum(temperatures.values()) / len(temperatures)

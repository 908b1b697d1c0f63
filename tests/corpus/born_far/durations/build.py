"""Logs of builds."""

from units import seconds


def steps(log):
    """The seconds of each step."""
    found = {}
    for line in log.splitlines():
        name, text = line.split()
        found[name] = seconds(text)
    return found


def total(log):
    """The seconds of all steps."""
    taken = steps(log)
    return sum(taken.values())

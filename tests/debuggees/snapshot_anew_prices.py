"""Holds what it has taken from another module."""

from snapshot_anew_rates import RATE, TEXT


def price(rate):
    return rate * RATE, TEXT

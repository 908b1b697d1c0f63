"""Prices of pieces."""

from ratios import per_piece


def mean(numbers):
    """Their mean."""
    return sum(numbers) / len(numbers)


def mean_price(deliveries):
    """The mean price of a piece."""
    found = []
    for delivery in deliveries:
        found.append(per_piece(delivery["cost"], delivery["pieces"]))
    return mean(found)

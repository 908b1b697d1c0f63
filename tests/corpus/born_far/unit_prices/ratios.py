"""Ratios that cannot fail."""


def per_piece(cost, pieces):
    """What one piece costs."""
    if pieces == 0:
        return float("inf")
    return cost / pieces

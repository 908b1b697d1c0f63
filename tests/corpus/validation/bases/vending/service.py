"""What the owner of several machines does."""

from machine import COINS


def refill(machine, wanted, supply):
    """Fills up from the supply; returns what was put in."""
    moved = {}
    for article, level in wanted.items():
        missing = level - machine.stock.get(article, 0)
        number = max(0, min(missing, supply.get(article, 0)))
        if number:
            machine.stock[article] = machine.stock.get(article, 0) + number
            supply[article] -= number
            moved[article] = number
    return moved


def collect(machine, keep):
    """Takes the coins above what is kept of each."""
    taken = 0
    for coin in COINS:
        extra = machine.coins[coin] - keep
        if extra > 0:
            machine.coins[coin] = keep
            taken += extra * coin
    return taken


def transitions(machines):
    counts = {}
    for machine in machines:
        for before, after in machine.log:
            key = f"{before}>{after}"
            counts[key] = counts.get(key, 0) + 1
    return counts


def sold(opening, machine):
    return {article: opening[article] - machine.stock[article] for article in opening}


def income(opening, machine):
    return sum(machine.prices[article] * number for article, number in sold(opening, machine).items())

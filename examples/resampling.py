"""How sure are we of the median delivery time? A bootstrap gives a 95 % interval."""

import random
from statistics import median

DELIVERY_DAYS = [2, 3, 3, 4, 4, 4, 5, 6, 6, 7, 9, 9, 11, 14, 21]


def bootstrap(values, statistic, rounds, seed):
    """The statistic of `rounds` samples drawn with replacement."""
    rng = random.Random(seed)
    estimates = []
    for _ in range(rounds):
        resample = rng.choices(values, k=len(values))
        estimates.append(statistic(values))
    return estimates


def interval(estimates, level):
    """The middle part of the estimates that holds `level` of them."""
    ordered = sorted(estimates)
    tail = (1 - level) / 2
    low = ordered[int(tail * len(ordered))]
    high = ordered[int((1 - tail) * len(ordered)) - 1]
    return low, high


def main():
    estimates = bootstrap(DELIVERY_DAYS, median, rounds=200, seed=7)
    low, high = interval(estimates, level=0.95)
    assert low < high, "the interval must have a width"
    print(f"median delivery: {median(DELIVERY_DAYS)} days, 95 % between {low} and {high}")


if __name__ == "__main__":
    main()

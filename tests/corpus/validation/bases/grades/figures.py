"""Figures about lists of numbers."""

import math


def mean(values):
    return sum(values) / len(values)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def variance(values):
    center = mean(values)
    return sum((value - center) ** 2 for value in values) / (len(values) - 1)


def deviation(values):
    return math.sqrt(variance(values))


def quantile(values, share):
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def modes(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    most = max(counts.values())
    return sorted(value for value, count in counts.items() if count == most)


def correlation(first, second):
    if len(first) != len(second):
        raise ValueError("lists of different lengths")
    first_mean, second_mean = mean(first), mean(second)
    shared = 0.0
    for one, other in zip(first, second):
        shared += (one - first_mean) * (other - second_mean)
    return shared / (len(first) - 1) / deviation(first) / deviation(second)


def histogram(values, width):
    bins = {}
    for value in values:
        start = value // width * width
        bins.setdefault(start, []).append(value)
    return {start: len(inside) for start, inside in sorted(bins.items())}


def moving_mean(values, size):
    result = []
    total = 0
    for index, value in enumerate(values):
        total += value
        if index >= size:
            total -= values[index - size]
        if index >= size - 1:
            result.append(total / size)
    return result

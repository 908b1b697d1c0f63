"""Differences of texts, for people."""

from align import changes, distance


def diff(old, new):
    return [f"{sign} {line}" for sign, line in changes(old.splitlines(), new.splitlines())]


def hunks(lines, around=1):
    """Only what changed, with some lines around it."""
    keep = set()
    for index, line in enumerate(lines):
        if line[0] != " ":
            keep.update(range(max(0, index - around), min(len(lines), index + around + 1)))
    groups = []
    for index in sorted(keep):
        if groups and groups[-1][-1] == index - 1:
            groups[-1].append(index)
        else:
            groups.append([index])
    return [[lines[index] for index in group] for group in groups]


def summary(lines):
    added = sum(1 for line in lines if line.startswith("+"))
    removed = sum(1 for line in lines if line.startswith("-"))
    return f"{added} added, {removed} removed"


def similarity(one, other):
    longest = max(len(one), len(other))
    if not longest:
        return 1.0
    return 1 - distance(one, other) / longest


def suggestion(word, known, at_least=0.6):
    best = None
    best_score = at_least
    for candidate in known:
        score = similarity(word.lower(), candidate.lower())
        if score > best_score or (best is None and score == best_score):
            best = candidate
            best_score = score
    return best


def moved(old, new):
    """Lines that were taken away in one place and added in another."""
    steps = changes(old.splitlines(), new.splitlines())
    gone = [line for sign, line in steps if sign == "-"]
    return [line for sign, line in steps if sign == "+" and line in gone]


def coins(amount, values):
    """The fewest coins for an amount, or None."""
    best = [0] + [None] * amount
    for total in range(1, amount + 1):
        for value in values:
            if value <= total and best[total - value] is not None:
                count = best[total - value] + 1
                if best[total] is None or count < best[total]:
                    best[total] = count
    return best[amount]

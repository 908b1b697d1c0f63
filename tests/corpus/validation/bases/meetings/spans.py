"""Spans of minutes within a day; the end is not part of a span."""


def minutes(text):
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def clock(total):
    return f"{total // 60:02d}:{total % 60:02d}"


def span(text):
    start, end = text.split("-")
    if minutes(start) >= minutes(end):
        raise ValueError(f"bad span {text}")
    return minutes(start), minutes(end)


def overlap(one, other):
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def merged(spans):
    result = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def gaps(busy, within):
    """The free spans of `within` around the busy ones."""
    free = []
    position = within[0]
    for start, end in merged(busy):
        if start >= within[1]:
            break
        if start > position:
            free.append((position, start))
        position = max(position, end)
    if position < within[1]:
        free.append((position, within[1]))
    return free


def length(spans):
    return sum(end - start for start, end in spans)

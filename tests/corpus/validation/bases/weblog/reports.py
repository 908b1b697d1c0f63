"""What the log says."""

from collections import Counter, defaultdict
from itertools import islice

from records import chunks, sessions


def by_status(records):
    counts = Counter(f"{record.status // 100}xx" for record in records)
    return dict(sorted(counts.items()))


def popular(records, limit=3):
    counts = Counter(record.path for record in records if record.status < 400)
    return sorted(counts, key=lambda path: (-counts[path], path))[:limit]


def traffic(records):
    sizes = defaultdict(int)
    for record in records:
        sizes[record.address] += record.size
    return dict(sizes)


def peak(records, seconds=60):
    """The number of requests of the busiest stretch, and which one it is, from 0 on."""
    best = (0, -1)
    for index, chunk in enumerate(chunks(records, seconds)):
        if len(chunk) > best[0]:
            best = (len(chunk), index)
    return best


def error_bursts(records, length=2):
    """Where so many errors follow each other."""
    found = []
    run = []
    for record in records:
        if record.status >= 500:
            run.append(record)
            continue
        if len(run) >= length:
            found.append((run[0].second, len(run)))
        run = []
    if len(run) >= length:
        found.append((run[0].second, len(run)))
    return found


def average_session(records):
    lengths = []
    for each in sessions(records).values():
        for session in each:
            lengths.append(session[-1].second - session[0].second)
    return sum(lengths) / len(lengths)


def first_visits(records, count):
    def fresh():
        seen = set()
        for record in records:
            if record.address not in seen:
                seen.add(record.address)
                yield record.address

    return list(islice(fresh(), count))

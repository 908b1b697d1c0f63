"""Which meeting takes place in which room."""

import heapq

from spans import gaps, overlap, span

OPEN = span("08:00-18:00")


class Calendar:
    def __init__(self, owner, busy=()):
        self.owner = owner
        self.busy = [span(each) for each in busy]

    def book(self, wanted):
        for each in self.busy:
            if overlap(each, wanted):
                return False
        self.busy.append(wanted)
        return True

    def free(self):
        return gaps(self.busy, OPEN)


def common_slot(calendars, duration):
    """The first span in which everybody is free."""
    together = []
    for calendar in calendars:
        together.extend(calendar.busy)
    for start, end in gaps(together, OPEN):
        if end - start >= duration:
            return start, start + duration
    return None


def rooms_needed(spans):
    ends = []
    most = 0
    for start, end in sorted(spans):
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        heapq.heappush(ends, end)
        most = max(most, len(ends))
    return most


def most_meetings(spans):
    """As many meetings as fit in one room."""
    chosen = []
    last_end = 0
    for start, end in sorted(spans, key=lambda each: each[1]):
        if start >= last_end:
            chosen.append((start, end))
            last_end = end
    return chosen


def utilisation(spans, within=OPEN):
    used = sum(overlap(each, within) for each in spans)
    return used / (within[1] - within[0])

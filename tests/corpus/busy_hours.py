"""Finds the free hours of a team from everybody's appointments."""

from dataclasses import dataclass


@dataclass
class Span:
    start: int
    end: int

    @property
    def length(self):
        return self.end - self.start


APPOINTMENTS = {
    "Priya": [Span(9, 10), Span(13, 14)],
    "Marek": [Span(8, 12), Span(15, 16)],
    "Ines": [Span(10, 11), Span(14, 15)],
}


def merged(spans):
    """The same busy time as spans that do not touch each other."""
    result = []
    for span in sorted(spans, key=lambda span: span.start):
        if result and span.start <= result[-1].end:
            result[-1].end = span.end
        else:
            result.append(Span(span.start, span.end))
    return result


def free(busy, opening, closing):
    gaps = []
    at = opening
    for span in busy:
        if span.start > at:
            gaps.append(Span(at, span.start))
        at = span.end
    if at < closing:
        gaps.append(Span(at, closing))
    return gaps


def is_busy(spans, hour):
    return any(span.start <= hour < span.end for span in spans)


def main():
    everything = [span for spans in APPOINTMENTS.values() for span in spans]
    gaps = free(merged(everything), opening=8, closing=18)
    for gap in gaps:
        print(f"free from {gap.start} to {gap.end} ({gap.length} h)")
    for gap in gaps:
        for name, spans in APPOINTMENTS.items():
            taken = [hour for hour in range(gap.start, gap.end) if is_busy(spans, hour)]
            assert not taken, f"{name} is busy then"


if __name__ == "__main__":
    main()

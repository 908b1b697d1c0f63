"""Draws a histogram of reaction times."""

TIMES_MS = [212, 225, 231, 240, 244, 251, 252, 260, 263, 275, 281, 290, 307, 333, 412]


class Histogram:
    def __init__(self, low, high, bins):
        self.low = low
        self.high = high
        self.counts = [0] * bins

    @property
    def bin_width(self):
        return (self.high - self.low) / len(self.counts)

    def bin_of(self, value):
        return int((value - self.low) / self.bin_width)

    def add(self, value):
        if not self.low <= value <= self.high:
            raise ValueError(f"{value} is outside of {self.low} to {self.high}")
        self.counts[self.bin_of(value)] += 1

    def rows(self):
        for index, count in enumerate(self.counts):
            start = self.low + index * self.bin_width
            yield start, start + self.bin_width, count


def histogram(values, bins):
    result = Histogram(min(values), max(values), bins)
    for value in values:
        result.add(value)
    return result


def draw(result):
    for start, end, count in result.rows():
        print(f"{start:>6.0f} to {end:>4.0f} {'#' * count}")


def main():
    result = histogram(TIMES_MS, bins=5)
    draw(result)
    assert sum(result.counts) == len(TIMES_MS)


if __name__ == "__main__":
    main()

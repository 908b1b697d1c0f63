class Span:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def __repr__(self):
        return f"{self.low} to {self.high}"


def within(span, x):
    return span.low < x <= span.high

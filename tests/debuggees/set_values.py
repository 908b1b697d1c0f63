"""A program that fails because of a value that a user sets while it is stopped."""


class Meter:
    def __init__(self, unit):
        self.unit = unit
        self.marks = {"low": 2}


def scale(rows, meter):
    count = len(rows)
    factor = count - 1
    total = sum(rows)  # @bp set
    if total > 1000:
        raise ValueError(rows)
    return total / factor  # @bp divides


def shown(names):
    return names["last"]


def main():
    scale([4, 6, 8], Meter("m"))
    shown({"first": 1})


main()

"""Who sits where."""

import json
from pathlib import Path

from rows import by_seat


def main():
    """Prints who sits on each seat."""
    guests = json.loads(Path(__file__).with_name("guests.json").read_text())
    seats = by_seat(guests)
    for seat in range(1, 5):
        print(seat, seats[seat])


main()

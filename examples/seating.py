"""Seats wedding guests at round tables."""

TABLES = 3
CHAIRS = 4

GUESTS = [
    ("Aunt Rosa", 0, 0),
    ("Uncle Tariq", 0, 1),
    ("Mei", 1, 0),
    ("Jonas", 2, 3),
]


def empty_room(tables, chairs):
    return [[None] * chairs] * tables


def seat(room, guest, table, chair):
    if room[table][chair] is not None:
        raise ValueError(f"{guest} cannot sit there: {room[table][chair]} does")
    room[table][chair] = guest


def main():
    room = empty_room(TABLES, CHAIRS)
    for guest, table, chair in GUESTS:
        seat(room, guest, table, chair)
    for number, table in enumerate(room, 1):
        print(number, ", ".join(guest or "-" for guest in table))


if __name__ == "__main__":
    main()

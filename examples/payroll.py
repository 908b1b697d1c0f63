"""Adds up overtime from the time sheet that the foremen fill in."""

import csv
import io

TIME_SHEET = """\
name,hours,overtime
Okafor,38,2
Lindqvist,40,5
Marchetti,36,0
"""


def read_sheet(text):
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        row["hours"] = int(row["hours"])
        rows.append(row)
    return rows


def week(row):
    """Hours that are paid: overtime counts one and a half."""
    return row["hours"] + row["overtime"] * 1.5


def main():
    rows = read_sheet(TIME_SHEET)
    paid = {row["name"]: week(row) for row in rows}
    for name, hours in paid.items():
        print(f"{name:<10} {hours:>5.1f}")
    print(f"{'total':<10} {sum(paid.values()):>5.1f}")


if __name__ == "__main__":
    main()

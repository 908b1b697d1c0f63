"""The sums of a table's columns."""

from pathlib import Path

from table import sums


def main():
    """Prints the sums."""
    found = sums(Path(__file__).with_name("table.txt"))
    assert found["c"] == 27, found
    print(found)


main()

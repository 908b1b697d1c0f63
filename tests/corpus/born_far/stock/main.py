"""What a shop has in stock."""

from pathlib import Path

from shop import stock


def main():
    """Prints the stock."""
    found = stock(Path(__file__).with_name("movements.csv"))
    assert found == {"pen": 7, "ink": 4, "pad": 9}, found
    print(found)


main()

"""The mean price of a piece over all deliveries."""

import json
from pathlib import Path

from prices import mean_price


def main():
    """Prints the mean."""
    deliveries = json.loads(Path(__file__).with_name("deliveries.json").read_text())
    found = mean_price(deliveries)
    assert found < 10, found
    print(found)


main()

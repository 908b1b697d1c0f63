"""Which country most visitors come from."""

import json
from pathlib import Path

from counting import most_common


def main():
    """Prints the country."""
    visitors = json.loads(Path(__file__).with_name("visitors.json").read_text())
    found = most_common(visitors)
    assert found == "NO", found
    print(found)


main()

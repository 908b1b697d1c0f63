"""What everybody owes."""

import json
from pathlib import Path

from ledger import balances, largest


def main():
    """Prints who owes most."""
    entries = json.loads(Path(__file__).with_name("entries.json").read_text())
    name, amount = largest(balances(entries))
    assert (name, amount) == ("Ann", 70), (name, amount)
    print(name, amount)


main()

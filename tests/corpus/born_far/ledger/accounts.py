"""Accounts."""


def grouped(entries):
    """The amounts of each person."""
    found = {}
    for entry in entries:
        amounts = found.get(entry["name"], [])
        amounts.append(entry["amount"])
        if len(amounts) < 2:
            found[entry["name"]] = amounts
        else:
            found[entry["name"]] = amounts[-1:]
    return found

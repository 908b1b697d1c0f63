"""Tags of notes."""

from notes import note


def main():
    """Checks that notes have their own tags."""
    first = note("milk", "shop")
    second = note("rent", "bank")
    third = note("sleep")
    assert third["tags"] == [], third
    print(first, second, third)


main()

"""How long the steps of a build took in all."""

from build import total

LOG = """fetch 12s
compile 1m30s
link 8
test 45s"""


def main():
    """Prints the sum of the seconds."""
    print(total(LOG))


main()

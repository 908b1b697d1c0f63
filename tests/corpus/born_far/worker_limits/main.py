"""Plans jobs for workers with the limits of a settings file."""

from pathlib import Path

from planning import plan
from settings import read

JOBS = [("import", 4), ("index", 7), ("report", 2)]


def main():
    """Prints the plan."""
    settings = read(Path(__file__).with_name("workers.ini"))
    rows = plan(JOBS, settings)
    assert [end for _, end in rows] == [34, 37, 32]
    print(rows)


main()

"""The mean temperature of stations."""

from pathlib import Path

from weather import mean_of, measured


def main():
    """Prints the mean."""
    mean = mean_of(measured(Path(__file__).with_name("stations.txt")))
    assert 15 < mean < 25, mean
    print(mean)


main()

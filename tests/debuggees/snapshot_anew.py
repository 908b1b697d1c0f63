"""Takes constants from another module, by name and through a third."""

import snapshot_anew_prices
from snapshot_anew_rates import RATE


def main():
    found = snapshot_anew_prices.price(RATE)
    print(found)  # @bp


main()

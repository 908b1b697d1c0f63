"""Which month sold best, by a file of orders."""

import csv
from pathlib import Path

ORDERS = Path(__file__).with_name("orders.csv")


def load(path):
    """The orders of a file."""
    orders = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            amount = float(row["amount"] or "nan")
            orders.append({"id": int(row["id"]), "month": int(row["month"]), "amount": amount})
    return orders


def totals(orders):
    """The sum of each month."""
    result = {}
    for order in orders:
        result[order["month"]] = result.get(order["month"], 0.0) + order["amount"]
    return result


def best_month(orders):
    """The month with the highest sum."""
    t = totals(orders)
    return max(t, key=t.get)


def main():
    """Prints the best month."""
    orders = load(ORDERS)
    assert best_month(orders) == 2
    print("best month:", best_month(orders))


main()

"""Which month sold best, by a text; the row is made where it is appended."""

import csv
import io

DATA = """id,date,amount
1,2024-01-03,12.5
2,2024-01-09,
3,2024-02-11,99
"""


def read(text):
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        month = int(row["date"].split("-")[1])
        rows.append({"id": int(row["id"]), "month": month, "amount": float(row["amount"] or "nan")})
    return rows


def totals(orders):
    found = {}
    for order in orders:
        found[order["month"]] = found.get(order["month"], 0.0) + order["amount"]
    return found


def best_month(orders):
    t = totals(orders)
    return max(t, key=t.get)


def main():
    orders = read(DATA)
    assert best_month(orders) == 2


main()

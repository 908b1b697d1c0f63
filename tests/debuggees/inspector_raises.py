"""Ends by an exception with a cause; a second thread waits."""

import threading


class Order:
    __slots__ = ("prices", "name")

    def __init__(self, name, prices):
        self.name, self.prices = name, prices


def price_of(order, item):
    return order.prices[item]


def total(order, items):
    amount = 0
    for item in items:
        amount += price_of(order, item)
    return amount


def main():
    orders = [Order("first", {"price": 3, "weight": 2})]
    try:
        return total(orders[0], ["price", "prise"])
    except KeyError as error:
        error.last_item = "prise"
        raise ValueError("no total for", orders[0].name) from error


finished = threading.Event()


def wait():
    finished.wait()


waiting = threading.Thread(target=wait, name="waiter", daemon=True)
waiting.start()
main()

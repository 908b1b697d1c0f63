"""A warehouse that reserves goods for orders before they are shipped."""

from collections import namedtuple

Line = namedtuple("Line", "sku quantity")


class OutOfStock(Exception):
    pass


class Warehouse:
    def __init__(self, stock):
        self.stock = dict(stock)
        self.reserved = {sku: 0 for sku in stock}

    def available(self, sku):
        return self.stock[sku] - self.reserved[sku]

    def reserve(self, sku, quantity):
        if quantity > self.available(sku):
            raise OutOfStock(f"{quantity} {sku} wanted, {self.available(sku)} available")
        self.reserved[sku] = quantity

    def ship(self, sku, quantity):
        self.reserved[sku] -= quantity
        self.stock[sku] -= quantity


class Order:
    def __init__(self, number, lines):
        self.number = number
        self.lines = lines

    def reserve_in(self, warehouse):
        for line in self.lines:
            warehouse.reserve(line.sku, line.quantity)

    def ship_from(self, warehouse):
        for line in self.lines:
            warehouse.ship(line.sku, line.quantity)


def check(warehouse):
    for sku, count in warehouse.stock.items():
        assert count >= 0, f"stock of {sku} is negative"
        assert warehouse.reserved[sku] >= 0, f"reservations of {sku} are negative"


def main():
    warehouse = Warehouse({"lamp": 10, "chair": 6, "desk": 2})
    orders = [
        Order(1, [Line("lamp", 4), Line("chair", 2)]),
        Order(2, [Line("lamp", 3), Line("desk", 1)]),
        Order(3, [Line("chair", 2)]),
    ]
    for order in orders:
        order.reserve_in(warehouse)
    for order in orders:
        order.ship_from(warehouse)
        check(warehouse)
    print(warehouse.stock)


if __name__ == "__main__":
    main()

"""Writes one invoice line per order, with the customer's discount."""

from dataclasses import dataclass


@dataclass
class Customer:
    name: str
    discount: float


@dataclass
class Order:
    number: int
    customer: str
    amount: float


CUSTOMERS = [
    Customer("Northwind", 0.10),
    Customer("Blue Yonder", 0.05),
    Customer("Contoso", 0.00),
]

ORDERS = [
    Order(1001, "northwind", 120.0),
    Order(1002, "blue yonder", 80.0),
    Order(1003, "Contoso ", 310.0),
]


def find_customer(name):
    for customer in CUSTOMERS:
        if customer.name.lower() == name.lower():
            return customer


def invoice_line(order):
    customer = find_customer(order.customer)
    total = order.amount * (1 - customer.discount)
    return f"{order.number}  {customer.name:<12} {total:>8.2f}"


def main():
    for order in ORDERS:
        print(invoice_line(order))


if __name__ == "__main__":
    main()

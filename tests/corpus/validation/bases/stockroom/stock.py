"""Batches of goods, first in, first out."""

from dataclasses import dataclass, field


class OutOfStock(Exception):
    pass


@dataclass
class Batch:
    quantity: int
    unit_cost: float
    received: int


@dataclass
class Article:
    name: str
    reorder_at: int = 0
    batches: list = field(default_factory=list)

    @property
    def on_hand(self):
        return sum(batch.quantity for batch in self.batches)

    @property
    def value(self):
        return sum(batch.quantity * batch.unit_cost for batch in self.batches)

    def receive(self, quantity, unit_cost, day):
        if quantity <= 0:
            raise ValueError("nothing received")
        self.batches.append(Batch(quantity, unit_cost, day))
        self.batches.sort(key=lambda batch: batch.received)

    def take(self, quantity):
        """Takes the oldest goods and returns what they had cost."""
        if quantity > self.on_hand:
            raise OutOfStock(f"{self.name}: {quantity} of {self.on_hand}")
        cost = 0.0
        missing = quantity
        while missing:
            oldest = self.batches[0]
            taken = min(missing, oldest.quantity)
            cost += taken * oldest.unit_cost
            oldest.quantity -= taken
            missing -= taken
            if oldest.quantity == 0:
                self.batches.pop(0)
        return cost

"""SAYS: is a property that reads `self.total`, which is the property itself"""


class Basket:
    def __init__(self, prices):
        self.prices = prices

    @property
    def total(self):
        return self.total + sum(self.prices)


Basket([1, 2]).total

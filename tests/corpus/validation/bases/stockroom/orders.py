"""Orders of customers and what they earn."""

from stock import Article, OutOfStock


class Stockroom:
    def __init__(self):
        self.articles = {}
        self.backorders = []
        self.revenue = 0.0
        self.cost = 0.0

    def article(self, name, reorder_at=0):
        if name not in self.articles:
            self.articles[name] = Article(name, reorder_at)
        return self.articles[name]

    def sell(self, customer, name, quantity, price):
        article = self.articles[name]
        try:
            cost = article.take(quantity)
        except OutOfStock:
            self.backorders.append((customer, name, quantity, price))
            return False
        self.cost += cost
        self.revenue += quantity * price
        return True

    def receive(self, name, quantity, unit_cost, day):
        self.article(name).receive(quantity, unit_cost, day)
        self.fill_backorders(name)

    def fill_backorders(self, name):
        waiting = self.backorders
        self.backorders = []
        for order in waiting:
            if order[1] == name:
                self.sell(*order)
            else:
                self.backorders.append(order)

    def margin(self):
        if not self.revenue:
            return 0.0
        return (self.revenue - self.cost) / self.revenue

    def to_reorder(self):
        low = [article for article in self.articles.values() if article.on_hand <= article.reorder_at]
        return sorted(article.name for article in low)

    def old_value(self, before_day):
        total = 0.0
        for article in self.articles.values():
            for batch in article.batches:
                if batch.received < before_day:
                    total += batch.quantity * batch.unit_cost
        return total

    def rename(self, old, new):
        article = self.articles.pop(old)
        article.name = new
        self.articles[new] = article
        self.backorders = [(who, new if what == old else what, *rest) for who, what, *rest in self.backorders]

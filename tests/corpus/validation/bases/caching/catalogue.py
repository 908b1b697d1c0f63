"""Prices from a slow source, through caches."""

from caches import MISSING
from functools import wraps


def cached(cache):
    """A decorator: results by the arguments, also when the result is None."""

    def decorate(function):
        @wraps(function)
        def wrapper(*arguments, **options):
            key = (function.__name__, arguments, tuple(sorted(options.items())))
            found = cache.get(key, MISSING)
            if found is MISSING:
                found = function(*arguments, **options)
                cache.put(key, found)
            return found

        return wrapper

    return decorate


class Prices:
    def __init__(self, source):
        self.source = dict(source)
        self.reads = []

    def read(self, article):
        self.reads.append(article)
        return self.source.get(article)


class Shop:
    def __init__(self, prices, price_cache, clock):
        self.prices = prices
        self.cache = price_cache
        self.clock = clock
        self.price = cached(price_cache)(self.prices.read)
        self.sold = []

    def reprice(self, article, price):
        self.prices.source[article] = price
        self.cache.drop(("read", (article,), ()))

    def total(self, articles, discount=0):
        amount = 0
        for article in articles:
            price = self.price(article)
            if price is None:
                continue
            amount += price
        return round(amount * (100 - discount) / 100, 2)

    def sell(self, articles):
        self.sold.append((self.clock(), self.total(articles)))
        return self.sold[-1][1]

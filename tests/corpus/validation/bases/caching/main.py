from caches import Expiring, LeastRecent
from catalogue import Prices, Shop, cached


class FakeClock:
    def __init__(self):
        self.time = 100

    def __call__(self):
        return self.time


def recent_ones():
    cache = LeastRecent(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert cache.get("b") is None
    assert cache.get("a") == 1
    cache.put("a", 10)
    cache.put("d", 4)
    assert list(cache.items) == ["a", "d"]
    assert cache.hit_rate == 2 / 3


def old_ones():
    clock = FakeClock()
    cache = Expiring(clock, lifetime=60)
    cache.put("x", 1)
    clock.time += 30
    cache.put("y", 2)
    assert cache.get("x") == 1
    clock.time += 30
    assert cache.get("x", "gone") == "gone"
    assert cache.get("y") == 2
    clock.time += 100
    assert cache.sweep() == 1
    assert cache.items == {}


def shopping():
    clock = FakeClock()
    prices = Prices({"pen": 3, "ink": 8, "pad": 5})
    shop = Shop(prices, Expiring(clock, lifetime=50), clock)
    assert shop.sell(["pen", "pen", "pad"]) == 11
    assert prices.reads == ["pen", "pad"]
    assert shop.total(["glue", "ink", "glue"], discount=25) == 6
    assert prices.reads.count("glue") == 1
    shop.reprice("pen", 4)
    assert shop.sell(["pen"]) == 4
    prices.source["pad"] = 6
    assert shop.total(["pad"]) == 5
    clock.time += 50
    assert shop.total(["pad"]) == 6
    assert shop.sold == [(100, 11.0), (100, 4.0)]
    assert len(prices.reads) == 6


def options_count_too():
    cache = LeastRecent(10)

    @cached(cache)
    def scaled(value, factor=1):
        return value * factor

    assert [scaled(2), scaled(2, factor=5), scaled(3), scaled(2)] == [2, 10, 3, 2]
    assert cache.hits == 1
    assert scaled.__name__ == "scaled"


for check in (recent_ones, old_ones, shopping, options_count_too):
    check()

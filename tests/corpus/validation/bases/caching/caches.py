"""Caches that forget: the least recently used, or what is too old."""

from collections import OrderedDict

MISSING = object()


class LeastRecent:
    def __init__(self, size):
        self.size = size
        self.items = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key, default=None):
        if key not in self.items:
            self.misses += 1
            return default
        self.hits += 1
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key, value):
        if key in self.items:
            self.items.move_to_end(key)
        self.items[key] = value
        while len(self.items) > self.size:
            self.items.popitem(last=False)

    def drop(self, key):
        self.items.pop(key, None)

    @property
    def hit_rate(self):
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class Expiring:
    def __init__(self, clock, lifetime):
        self.clock = clock
        self.lifetime = lifetime
        self.items = {}

    def get(self, key, default=None):
        if key not in self.items:
            return default
        value, stored = self.items[key]
        if self.clock() - stored >= self.lifetime:
            del self.items[key]
            return default
        return value

    def put(self, key, value):
        self.items[key] = (value, self.clock())

    def drop(self, key):
        self.items.pop(key, None)

    def sweep(self):
        old = [key for key, (_, stored) in self.items.items() if self.clock() - stored >= self.lifetime]
        for key in old:
            del self.items[key]
        return len(old)

"""Counts everything that looking at it might disturb, and prints the counts in the end.

The line RESULT must be the same whether or not questions were asked at the marked lines.
"""

import collections
import csv
import functools
import gc
import io
import itertools
import json
import random
import sys
import threading
import weakref

counts = collections.Counter()


class Watched(object):
    """Every way of touching an instance is counted."""

    def __init__(self, name):
        self.name = name
        self._balance = 100

    @property
    def balance(self):
        counts["property"] += 1
        self._balance -= 1
        return self._balance

    @functools.lru_cache(maxsize=None)
    def cached(self):
        counts["cached method"] += 1
        return self.name

    def __repr__(self):
        counts["repr"] += 1
        return "<Watched>"

    def __str__(self):
        counts["str"] += 1
        return "watched"

    def __format__(self, spec):
        counts["format"] += 1
        return "watched"

    def __len__(self):
        counts["len"] += 1
        return 3

    def __bool__(self):
        counts["bool"] += 1
        return True

    def __iter__(self):
        counts["iter"] += 1
        return iter((1, 2, 3))

    def __contains__(self, item):
        counts["contains"] += 1
        return True

    def __getitem__(self, key):
        counts["getitem"] += 1
        return key

    def __getattr__(self, name):
        counts["getattr " + name] += 1
        raise AttributeError(name)

    def __dir__(self):
        counts["dir"] += 1
        return ["name"]

    def __eq__(self, other):
        counts["eq"] += 1
        return self is other

    def __hash__(self):
        counts["hash"] += 1
        return 7

    def __add__(self, other):
        counts["add"] += 1
        return other

    __radd__ = __add__

    def __call__(self):
        counts["call"] += 1
        return 1


class Strict(object):
    """Counts each attribute that is looked up in the normal way."""

    def __getattribute__(self, name):
        counts["getattribute"] += 1
        return object.__getattribute__(self, name)


class Descriptor(object):
    def __get__(self, instance, owner):
        counts["descriptor"] += 1
        return 5


class Meta(type):
    def __repr__(cls):
        counts["class repr"] += 1
        return "<class>"

    def __instancecheck__(cls, instance):
        counts["instance check"] += 1
        return True

    def __getattr__(cls, name):
        counts["class getattr " + name] += 1
        raise AttributeError(name)


class Holder(metaclass=Meta):
    field = Descriptor()
    __slots__ = ("kept", "__weakref__")


class Liar(dict):
    """A dict that changes when it is read."""

    def __getitem__(self, key):
        counts["dict getitem"] += 1
        return dict.__getitem__(self, key)

    def __missing__(self, key):
        counts["dict missing"] += 1
        self[key] = 0
        return 0

    def __iter__(self):
        counts["dict iter"] += 1
        return dict.__iter__(self)

    def keys(self):
        counts["dict keys"] += 1
        return dict.keys(self)

    def items(self):
        counts["dict items"] += 1
        return dict.items(self)

    def __len__(self):
        counts["dict len"] += 1
        return dict.__len__(self)


def squares():
    number = 0
    while number < 6:
        counts["generator steps"] += 1
        yield number * number
        number += 1


def work(ref_of):
    account = Watched("main")
    strict = Strict()
    holder = Holder()
    holder.kept = account
    prices = Liar(tea=3, milk=2)
    missing = collections.defaultdict(list, known=[1])
    doubled = map(lambda number: number * 2, [1, 2, 3])
    evens = filter(None, [0, 1, 2])
    pairs = zip("abc", itertools.count())
    generator = squares()
    next(generator)
    numbers = iter([4, 5, 6])
    next(numbers)
    file = open(__file__)
    file.readline()
    rows = csv.reader(io.StringIO("a,b\nc,d\n"))
    stdin = sys.stdin
    lock = threading.Lock()
    queue = collections.deque([1, 2, 3], maxlen=3)
    mixed = [account, {"inner": account}, (account, strict), {1, 2}]
    short_lived = Watched("short")
    ref_of.append(weakref.ref(short_lived))
    random.seed(42)
    before = dict(counts)
    first = next(generator) + account.balance + len(prices) + missing["new"].__len__() + account()  # @bp
    print("first", first, flush=True)
    after = {
        "touched before the stop": sorted(before.items()),
        "first": first,
        "doubled": sum(doubled),
        "evens": list(evens),
        "pairs": list(pairs),
        "generator": list(generator),
        "numbers": list(numbers),
        "file": len(file.read()),
        "rows": list(rows),
        "stdin": stdin.read(),
        "lock": lock.acquire(False),
        "queue": list(queue),
        "missing": sorted(missing),
        "prices": sorted(dict.keys(prices)),
        "random": random.random(),
        "mixed": len(mixed),
    }
    file.close()
    return after  # @bp end


def main():
    refs = []
    result = work(refs)
    gc.collect()
    result["freed"] = refs[0]() is None
    result["threads"] = [thread.name for thread in threading.enumerate() if not thread.daemon]
    result["counts"] = sorted(counts.items())
    print("RESULT " + json.dumps(result, sort_keys=True), flush=True)


if __name__ == "__main__":
    main()

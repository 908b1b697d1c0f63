"""Counts every call that a look at its objects could make; prints the same whether or not somebody looked."""

import collections
import gc
import io
import threading
import weakref

CALLS = collections.Counter()


def counting(name, result):
    def method(*args):
        CALLS[name] += 1
        return result

    return method


class Meta(type):
    def __getattribute__(cls, name):
        CALLS["meta"] += 1
        return type.__getattribute__(cls, name)

    __instancecheck__ = counting("instancecheck", True)


class Touchy(metaclass=Meta):
    """Its properties, comparisons and conversions are counted."""

    def __init__(self):
        object.__setattr__(self, "plain", 1)

    __repr__ = counting("repr", "Touchy")
    __eq__ = counting("eq", True)
    __hash__ = counting("hash", 7)
    __len__ = counting("len", 3)
    __bool__ = counting("bool", True)
    __iter__ = counting("iter", iter(()))
    __getattr__ = counting("getattr", 5)
    __index__ = counting("index", 1)
    __format__ = counting("format", "")
    total = property(counting("property", 9))


class Cycle:
    def __del__(self):
        CALLS["del"] += 1


def numbers():
    for n in range(5):
        yield n


def work(touchy, keyed):
    kept = Cycle()
    kept.me = kept
    reference = weakref.ref(kept, counting("weakref", None))
    del kept
    mapped = map(int, "123456")
    produced = numbers()
    next(produced)
    opened = io.StringIO("one\ntwo\nthree\n")
    opened.readline()
    lock = threading.Lock()
    return sum(mapped), list(produced), opened.readline()  # @bp


def main():
    touchy = Touchy()
    keyed = {touchy: 1, "a": 2}
    gc.collect()
    CALLS.clear()
    gc.disable()
    print(work(touchy, keyed), sorted(CALLS.items()))


main()

"""Counts every call that a look at its objects could make; prints the same whether or not somebody looked."""
import collections
import gc
import sys
import threading
import weakref

CALLS = collections.Counter()


def count(name):
    CALLS[name] += 1


class Touchy:
    def __init__(self):
        self.plain = 1

    def __repr__(self):
        count("repr")
        return "Touchy"

    def __eq__(self, other):
        count("eq")
        return True

    def __hash__(self):
        count("hash")
        return 7

    def __len__(self):
        count("len")
        return 3

    def __bool__(self):
        count("bool")
        return True

    def __iter__(self):
        count("iter")
        return iter(())

    def __getattr__(self, name):
        count("getattr")
        return 5

    def __getattribute__(self, name):
        count("getattribute")
        return object.__getattribute__(self, name)

    @property
    def total(self):
        count("property")
        return 9


class Meta(type):
    def __getattribute__(cls, name):
        count("meta")
        return type.__getattribute__(cls, name)

    def __instancecheck__(cls, x):
        count("instancecheck")
        return True


class Odd(metaclass=Meta):
    @property
    def __class__(self):
        count("class")
        return str

    @property
    def __dict__(self):
        count("dict")
        return {}


class Cycle:
    def __del__(self):
        count("del")


def numbers():
    for n in range(5):
        yield n


def work():
    touchy, odd = Touchy(), Odd()
    keyed = {touchy: 1, "a": 2}
    CALLS.clear()
    gc.callbacks.append(lambda phase, info: count("gc"))
    kept = Cycle()
    kept.me = kept
    reference = weakref.ref(kept, lambda _: count("weakref"))
    del kept
    mapped = map(int, "123456")
    produced = numbers()
    next(produced)
    opened = open(__file__)
    opened.readline()
    frozen = threading.Lock()
    before = dict(CALLS)
    gc.disable()
    stop_here = 1
    return before, dict(CALLS), sum(mapped), list(produced), opened.readline(), sys.stdin.readline(), len(keyed), frozen


before, after, *rest = work()
gc.callbacks.clear()
print("CALLS", sorted(after.items()), rest[:-1])

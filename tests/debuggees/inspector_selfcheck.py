"""Installs the inspector as a debuggee would and reads a frame with it; runs on every Python from 3.8 on.

stdin: the expressions that open the injector and install the inspector, then a line of JSON nodes. stdout: the reply as JSON, with the calls counted.
"""

import collections
import datetime
import decimal
import enum
import fractions
import json
import pathlib
import sys
import threading
import types
import uuid

CALLS = collections.Counter()


def counting(name):
    def method(*args):
        CALLS[name] += 1
        return 1

    return method


NAMES = "repr str format eq ne lt hash len bool iter next getitem getattr call index int add radd contains".split()


class Meta(type):
    def __getattribute__(cls, name):
        CALLS["meta"] += 1
        return type.__getattribute__(cls, name)

    __eq__ = counting("meta eq")
    __hash__ = counting("meta hash")


def hostile(base, *args):
    names = {"__%s__" % name: counting(name) for name in NAMES}
    names["total"] = property(counting("property"))
    names["__dict__"] = property(counting("dict"))
    names["__class__"] = property(counting("class"))
    return Meta("Hostile", (base,), names)(*args)


class Colour(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("x",)

    def __init__(self):
        self.x = 5


def numbers():
    yield 1
    yield 2


def caught():
    try:
        next(iter(()))
    except StopIteration as error:
        return error


def work(a, *rest, k=3, **more):
    touchy = [hostile(object), hostile(list, [1]), hostile(dict, {"a": 1}), hostile(str, "a"), hostile(int, 1)]
    alone = touchy[0]
    mapped, generator, fresh = map(int, "12"), numbers(), numbers()
    next(generator)
    plain = {"a": [1, 2], (1, 2): None}
    slotted, colour, path, number = Slotted(), Colour.RED, pathlib.PurePosixPath("/a/b"), decimal.Decimal("1.50")
    third, when, name = fractions.Fraction(1, 3), datetime.datetime(2024, 1, 2, 3, 4), uuid.UUID(int=5)
    lock, event = threading.RLock(), threading.Event()
    opened = open(__file__)
    kept, never = caught(), ValueError("never raised")
    CALLS.clear()
    return a + None


def main():
    opening, install, nodes = sys.stdin.readline(), sys.stdin.readline(), json.loads(sys.stdin.readline())
    pydevd = sys.modules["pydevd"] = types.ModuleType("pydevd")
    eval(opening)
    (injector,) = [x for name, x in vars(pydevd).items() if name.startswith("dap_ai_")]
    assert eval(install) == "dap_ai:"
    try:
        work(1, 2, z=4)
    except TypeError as error:
        exc = error
    entry = exc.__traceback__.tb_next
    frames = [(1, entry.tb_frame, entry.tb_lineno, entry.tb_lasti)]
    query = {"frames": [{"frame_id": 1, "expressions": nodes}], "deadline_ms": 20000}
    reply = injector._made["frame_inspector"].inspect(frames, exc, query)
    calls = sum(CALLS.values())
    left = list(entry.tb_frame.f_locals["mapped"]), list(entry.tb_frame.f_locals["generator"])
    entry.tb_frame.f_locals["opened"].close()
    print(json.dumps({"reply": reply, "calls": calls, "left": left}))


main()

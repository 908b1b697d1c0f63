"""Failing programs for facts.py: much of their source never ran, or ran only after the raise."""

from __future__ import annotations

import _at_failure as cleanups

PROGRAMS = {
    "finally_function": """\
class Box:
    n = 3

def after():
    box.n = 0

box = Box()

def work():
    try:
        return 10 / (box.n - 3)
    finally:
        after()

work()
""",
    "exit_stack": """\
import contextlib

def wipe(rows):
    rows.clear()
    rows.append(0)

def mean(rows):
    with contextlib.ExitStack() as stack:
        stack.callback(wipe, rows)
        total = 0
        for row in rows:
            total += row
        return total / (len(rows) - 3)

print(mean([1, 2, 3]))
""",
    "handler": """\
state = {"tries": 2}

def reset():
    state["tries"] = 0

def attempt():
    try:
        return 1 / (state["tries"] - 2)
    except ZeroDivisionError:
        reset()
        raise

attempt()
""",
    "empty_loop": """\
def mean(prices):
    total = 0
    largest = None
    for price in prices:
        total += price
        largest = max(largest or price, price)
    return total / len(prices)

def shown(prices):
    if prices and prices[0] < 0:
        prices = [0]
    return mean(prices)

print(shown([2, 4]))
print(shown([]))
""",
    "same_method_name": """\
class Store:
    def __init__(self):
        self.rows = None

    def load(self):
        self.rows = None
        return self.rows

class Cache:
    def __init__(self):
        self.rows = [1, 2, 3]

    def load(self):
        return self.rows

def total(source):
    rows = source.load()
    return sum(rows) / (len(rows) - 3)

print(total(Cache()))
""",
    "branches": """\
import os

MODE = os.environ.get("NEVER_SET", "plain")
if MODE == "fast":
    STEP = 0
else:
    STEP = 4

def scaled(n):
    if n > 100:
        by = 0
    elif n > 10:
        by = STEP - 4
    else:
        by = 1
    return n / by

print(scaled(5))
print(scaled(20))
""",
    "cached": """\
import functools

@functools.lru_cache(None)
def rate(code):
    table = {"a": 2, "b": 0}
    return table[code]

known = {}

def price(code):
    if code in known:
        found = known[code]
    else:
        found = known[code] = rate(code)
    return 10 / found

print(price("a"))
print(price("a"))
print(price("b"))
""",
    "generator_cleanup": """\
log = []

def note(text):
    log.append(text)

def rows():
    try:
        yield 1
        yield 2
        yield 3
    finally:
        note("closed")

def total():
    sum_ = 0
    for row in rows():
        sum_ += row
        if row == 2:
            log.append(10 / (len(log) - 1))
        log.append("row")
    return sum_

total()
""",
    "deep_cleanup": """\
class Pool:
    def __init__(self):
        self.free = 2
        self.used = 0

    def take(self):
        self.used += 1
        self.free -= 1

    def give(self):
        self.used -= 1
        self.free += 1

    def close(self):
        self._drain()

    def _drain(self):
        self.free = 0
        self.used = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

def share(pool):
    pool.take()
    pool.take()
    return 100 / pool.free

def main():
    with Pool() as pool:
        try:
            share(pool)
        finally:
            pool.give()

main()
""",
    "async_cleanup": """\
import asyncio

class Client:
    def __init__(self):
        self.sent = 0

    async def send(self, n):
        await asyncio.sleep(0)
        self.sent += n

    async def close(self):
        self.sent = -1

async def main():
    client = Client()
    try:
        await client.send(2)
        assert client.sent == 3, client.sent
    finally:
        await client.close()

asyncio.run(main())
""",
}
CASES = {
    "trial_static": """\
import HEAD

class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self, amount):
        if amount < 0:
            self.balance = None
        else:
            self.balance += amount

    def reset(self):
        self.balance = 0

class Log:
    def deposit(self, amount):
        self.balance = "none"

class Test(BASE):
    def setUp(self):
        self.account = Account()

    def tearDown(self):
        self.account.reset()

    def test_deposit(self):
        for amount in ():
            self.account.deposit(amount)
        self.account.deposit(5)
        self.assertEqual(self.account.balance, 6)
""",
    "trial_cleanups": """\
import HEAD

registry = {}

def forget():
    registry.clear()

def register(name, n):
    if name in registry:
        registry[name] += n
    registry.setdefault(name, n)

class Test(BASE):
    def setUp(self):
        self.addCleanup(forget)

    def test_register(self):
        register("a", 2)
        try:
            self.assertEqual(registry["a"], 4)
        finally:
            register("a", 1)
""",
}
MODULE = "test_program"


def programs() -> list[tuple[str, str, str]]:
    """The name, runner and source text of each program."""
    found = [(name, "program", text) for name, text in PROGRAMS.items()]
    found += [(f"script {kind}", "program", cleanups.script(kind)) for kind in cleanups.ANYWHERE]
    found += [(f"pytest {kind}", "pytest", cleanups.pytest_module(kind)) for kind in cleanups.KINDS]
    trial = "from twisted.trial import unittest as trial\n"
    for kind in cleanups.OF_CASES:
        found.append((f"unittest {kind}", "unittest", cleanups.case(kind)))
        found.append((f"asyncio {kind}", "unittest", cleanups.case(kind, "unittest.IsolatedAsyncioTestCase")))
        found.append((f"trial {kind}", "trial", cleanups.case(kind, "trial.TestCase", trial)))
    for name, text in CASES.items():
        own = text.replace("import HEAD", "import unittest").replace("BASE", "unittest.TestCase")
        found.append((f"unittest {name}", "unittest", own))
        found.append((f"trial {name}", "trial", text.replace("import HEAD", trial).replace("BASE", "trial.TestCase")))
    return found

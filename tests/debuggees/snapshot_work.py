"""What can be edited, run again and traced: a class, closures, decorators, defaults, generators, coroutines."""

import functools


def noted(function):
    @functools.wraps(function)
    def around(*args, **kwargs):
        around.calls += 1
        return function(*args, **kwargs)

    around.calls = 0
    return around


class Base:
    def describe(self):
        return "base"


class Account(Base):
    fee = 1

    def __init__(self, balance):
        self.__balance = balance
        self.log = []

    @property
    def balance(self):
        return self.__balance

    @noted
    def withdraw(self, amount):
        if amount > self.__balance:
            raise ValueError("not enough money")
        self.__balance -= amount + amount
        self.log.append(amount)
        return self.__balance

    def describe(self):
        return super().describe() + " account"

    def check(self):
        before = self.__balance
        print("here")  # @bp method
        return before


def make_counter(step):
    count = 10

    def add(times=1):
        nonlocal count
        count -= step * times
        return count

    return add


def collect(item, into=[]):
    into.append(item)
    return into


def summed(numbers):
    total = 0
    for number in numbers:
        total += number
    return total


def halves(limit):
    while limit > 1:
        limit //= 2
        yield limit


def fails(depth):
    if depth:
        return fails(depth - 1)
    word = "deep"
    return {}[word]


def shared():
    total = 0

    def add(amount):
        nonlocal total
        total += amount

    add(5)
    print("shared")  # @bp shared
    return total


def scaled(x, *, by=2):
    return x * by


keys = {"last": lambda word: word[-1], "first": lambda word: word[0]}


add = make_counter(3)
account = Account(100)
collect("a")
account.check()
shared()
print("end", account.balance, collect("b"), add(), account.withdraw.calls)  # @bp module

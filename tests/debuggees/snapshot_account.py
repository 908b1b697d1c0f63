"""An account, threads, hooks and handlers; at the end it tells whatever has happened to it."""

import os
import random
import signal
import sys
import threading

hooks = []
received = []
for when in ("before", "after_in_child", "after_in_parent"):
    os.register_at_fork(**{when: lambda when=when: hooks.append(when)})
signal.signal(signal.SIGCHLD, lambda *_: received.append("SIGCHLD"))


class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("not enough money")
        self.balance -= amount
        print("withdrew", amount)
        return self.balance

    @property
    def doubled(self):
        self.balance *= 2
        return self.balance


def forever():
    while True:
        pass


def main():
    acct = Account(100)
    random.seed(5)
    numbers = iter([1, 2, 3])
    go_on = threading.Event()
    waiter = threading.Thread(target=go_on.wait, name="waiter")
    waiter.start()
    pid = os.getpid()
    print("here", flush=True)
    print(acct.balance, random.random(), list(numbers), hooks, received, flush=True)  # @bp
    go_on.set()
    waiter.join()


main()

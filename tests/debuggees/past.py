"""Values that change in many ways, and a stop below them all."""

import past_state

LIMITS = {"ann": 3}


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 5

    def move(self, amount):
        self.balance += amount
        past_state.seen.append(amount)

    def close(self):
        return down(2)


def remember(log, amount):
    log.append(amount)


def steps(n):
    step = 0
    for i in range(n):
        step = 2 - i
        yield step


def down(left):
    left = left - 1
    if left < 0:
        return LIMITS["ann"]  # @bp
    return down(left)


def settle(account, n):
    total, log = 0, []
    for step in steps(n):
        total += step
        account.move(step)
        remember(log, step)
        if total < 0:
            LIMITS["ann"] = total
    return account.close()


def main():
    first, second = Account("ann"), Account("bob")
    settle(first, 2) if False else None
    settle(second, 7)


main()

"""Teardowns that fail after a failed call: for what the call has left undone, and by themselves."""

import pytest


class Account:
    open = 0

    def close(self):
        if self.open:
            raise RuntimeError("a booking is open")


@pytest.fixture
def account():
    account = Account()
    yield account
    account.close()


@pytest.fixture
def forgetful():
    yield 3
    {}["gone"]


def test_left_open(account):
    account.open += 1
    assert account.open == 2
    account.open -= 1


def test_fails_at_its_end(forgetful):
    assert forgetful == 4

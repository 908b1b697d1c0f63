"""Fails within a `with` and a `finally` that clear what it was about."""

import contextlib


class Rows:
    def __init__(self):
        self.items = [1, 2, 3]


@contextlib.contextmanager
def opened(store):
    store["open"] = True
    try:
        yield store
    finally:
        store["open"] = False
        store["n"] = 0


def total(rows, store):
    try:
        with opened(store) as s:
            return len(rows.items) / (s["n"] - 3)
    finally:
        rows.items.clear()


total(Rows(), {"open": False, "n": 3})

"""Raises an exception whose message holds what a file name that is no UTF-8 becomes."""


def f(name):
    raise ValueError(f"bad name {name}")


f("x\udc80y")

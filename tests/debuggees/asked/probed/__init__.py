"""A package that makes attributes when they are wanted; pytest looks for `setUpModule` and others."""

from stats import mean


def __getattr__(name):
    if name == "thrice":
        return lambda x: 3 * x
    raise AttributeError(f"no {name}")

"""Two functions with a mistake each.

>>> mean([])
0
"""

import builtins

group = getattr(builtins, "ExceptionGroup", None)


def mean(xs):
    total = 0
    for x in xs:
        total += x
    return total / (len(xs) - 1)


def first(names):
    return names["first"]


def all_of(many):
    errors = []
    for names in many:
        try:
            first(names)
        except KeyError as error:
            errors.append(error)
    raise group("several", errors) if group else errors[0]

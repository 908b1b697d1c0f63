"""SAYS: never ends by `n == 0`: `n` is"""


def countdown(n):
    if n == 0:
        return 0
    return 1 + countdown(n - 2)


countdown(7)

"""SAYS: never ends by `n < 0`: `n` is"""

power = lambda n: 1 if n < 0 else 2 * power(n + 1)

power(3)

"""What decides is a variable of the module, which cleanup changes."""


class Box:
    def __init__(self, n):
        self.n = n


box = Box(3)


def work():
    try:
        assert box.n == 4
    finally:
        box.n = 7


work()

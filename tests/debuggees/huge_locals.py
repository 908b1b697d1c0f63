"""A frame with more in it than anybody wants to read."""

import sys


class Node:
    def __init__(self, name):
        self.name = name
        self.next = None


def ring(size):
    nodes = [Node("node %d" % number) for number in range(size)]
    for one, other in zip(nodes, nodes[1:] + nodes[:1]):
        one.next = other
    return nodes[0]


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def main():
    numbers = list(range(1000000))
    table = {"key %d" % number: [number] * 10 for number in range(20000)}
    text = "x" * (1 << 20)
    lines = "\n".join("line %d" % number for number in range(50000))
    blob = bytes(range(256)) * 4096
    deep = nested(50000)
    cycle = []
    cycle.append(cycle)
    mutual = {"cycle": cycle}
    cycle.append(mutual)
    circle = ring(1000)
    giant = 1 << 40000
    many = {name: number for number, name in enumerate(("name_%d" % n for n in range(500)))}
    code = "\n".join("    local_%d = %d" % (number, number) for number in range(300))
    scope = {}
    exec("def crowd():\n" + code + "\n    return len(locals())", scope)
    print("RESULT", len(numbers), len(table), scope["crowd"](), flush=True)  # @bp
    while deep:
        deep = deep[0]
    return sys.getsizeof(giant), text, lines, blob, circle, many


main()

"""Codes that need fewer bits for frequent letters."""

import heapq


class Leaf:
    def __init__(self, letter, weight):
        self.letter = letter
        self.weight = weight

    def walk(self, prefix, into):
        into[self.letter] = prefix or "0"


class Branch:
    def __init__(self, left, right):
        self.left = left
        self.right = right
        self.weight = left.weight + right.weight

    def walk(self, prefix, into):
        self.left.walk(prefix + "0", into)
        self.right.walk(prefix + "1", into)


def frequencies(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


def tree(counts):
    queue = []
    serial = 0
    for letter in sorted(counts):
        heapq.heappush(queue, (counts[letter], serial, Leaf(letter, counts[letter])))
        serial += 1
    while len(queue) > 1:
        _, _, left = heapq.heappop(queue)
        _, _, right = heapq.heappop(queue)
        joined = Branch(left, right)
        heapq.heappush(queue, (joined.weight, serial, joined))
        serial += 1
    return queue[0][2]


def code_table(text):
    table = {}
    tree(frequencies(text)).walk("", table)
    return table


def canonical(table):
    """Codes of the same lengths in the order of length and letter."""
    result = {}
    code = 0
    last_length = 0
    for letter in sorted(table, key=lambda one: (len(table[one]), one)):
        length = len(table[letter])
        code <<= length - last_length
        result[letter] = format(code, f"0{length}b")
        code += 1
        last_length = length
    return result

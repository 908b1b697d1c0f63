"""Formulas parsed into nested tuples and computed."""

from lexer import FormulaError, tokens

LEVELS = [("<", "<=", ">", ">=", "=="), ("+", "-"), ("*", "/")]
FUNCTIONS = {"min": min, "max": max, "abs": abs, "if": lambda test, yes, no: yes if test else no}
OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
}


class Parser:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.position = 0

    @property
    def kind(self):
        return self.tokens[self.position][0]

    def advance(self):
        token = self.tokens[self.position]
        self.position += 1
        return token

    def expect(self, kind):
        if self.kind != kind:
            raise FormulaError(f"expected {kind}", self.tokens[self.position][2])
        return self.advance()

    def whole(self):
        tree = self.binary(0)
        self.expect("end")
        return tree

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.kind in LEVELS[level]:
            operator = self.advance()[1]
            right = self.binary(level + 1)
            left = ("operation", operator, left, right)
        return left

    def unary(self):
        if self.kind == "-":
            self.advance()
            return ("negative", self.unary())
        return self.power()

    def power(self):
        base = self.atom()
        if self.kind == "**":
            self.advance()
            return ("operation", "**", base, self.unary())
        return base

    def atom(self):
        kind, value, position = self.advance()
        if kind == "number":
            return ("number", value)
        if kind == "name":
            if self.kind == "(":
                return ("call", value, self.arguments())
            return ("name", value)
        if kind == "(":
            inner = self.binary(0)
            self.expect(")")
            return inner
        raise FormulaError(f"unexpected {kind}", position)

    def arguments(self):
        self.expect("(")
        found = [self.binary(0)]
        while self.kind == ",":
            self.advance()
            found.append(self.binary(0))
        self.expect(")")
        return found


def compute(tree, names):
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind == "name":
        return names[tree[1]]
    if kind == "negative":
        return -compute(tree[1], names)
    if kind == "call":
        return FUNCTIONS[tree[1]](*[compute(argument, names) for argument in tree[2]])
    return OPERATIONS[tree[1]](compute(tree[2], names), compute(tree[3], names))


def used_names(tree):
    if tree[0] == "name":
        return {tree[1]}
    found = set()
    for part in tree[2] if tree[0] == "call" else tree[1:]:
        if isinstance(part, tuple):
            found |= used_names(part)
    return found

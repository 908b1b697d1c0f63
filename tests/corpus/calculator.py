"""A calculator: tokens, a small recursive parser, numbers."""

import re

TOKEN = re.compile(r"\s*(\d+\.?\d*|[-+*/()])")


def tokens(text):
    found = []
    position = 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if match is None:
            raise SyntaxError(f"unexpected {text[position]!r} at {position}")
        found.append(match.group(1))
        position = match.end()
    return found


class Parser:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.position = 0

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self):
        token = self.peek()
        self.position += 1
        return token

    def expression(self):
        value = self.term()
        if self.peek() in ("+", "-"):
            operator = self.take()
            right = self.expression()
            return value + right if operator == "+" else value - right
        return value

    def term(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            operator = self.take()
            right = self.factor()
            value = value * right if operator == "*" else value / right
        return value

    def factor(self):
        token = self.take()
        if token == "(":
            value = self.expression()
            self.take()
            return value
        if token == "-":
            return -self.factor()
        return float(token)


def calculate(text):
    return Parser(text).expression()


CHECKS = {
    "1 + 2 * 3": 7,
    "(1 + 2) * 3": 9,
    "-4 + 6": 2,
    "8 / 4 / 2": 1,
    "10 - 4 - 3": 3,
}


def main():
    for text, expected in CHECKS.items():
        result = calculate(text)
        print(f"{text} = {result:g}")
        assert result == expected, f"{text} is {expected}"


if __name__ == "__main__":
    main()

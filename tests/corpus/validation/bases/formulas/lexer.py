"""Formulas cut into tokens."""

SYMBOLS = ("**", "<=", ">=", "==", "+", "-", "*", "/", "(", ")", ",", "<", ">")


class FormulaError(Exception):
    def __init__(self, message, position):
        super().__init__(f"{message} at {position}")
        self.position = position


def number_end(text, start):
    position = start
    dots = 0
    while position < len(text) and (text[position].isdigit() or text[position] == "."):
        dots += text[position] == "."
        position += 1
    if dots > 1:
        raise FormulaError("bad number", start)
    return position


def name_end(text, start):
    position = start
    while position < len(text) and (text[position].isalnum() or text[position] == "_"):
        position += 1
    return position


def tokens(text):
    found = []
    position = 0
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
            continue
        if char.isdigit() or char == ".":
            end = number_end(text, position)
            found.append(("number", float(text[position:end]), position))
        elif char.isalpha():
            end = name_end(text, position)
            found.append(("name", text[position:end], position))
        else:
            for symbol in SYMBOLS:
                if text.startswith(symbol, position):
                    break
            else:
                raise FormulaError(f"unexpected {char!r}", position)
            end = position + len(symbol)
            found.append((symbol, symbol, position))
        position = end
    found.append(("end", "", len(text)))
    return found

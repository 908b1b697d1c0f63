"""Parses the symbols that a model writes, and finds a symbol in a line of source."""

from __future__ import annotations

import re

_JOINT = r"(?:\.|->|::)"
_SYMBOL = re.compile(rf"~?[^\W\d]\w*({_JOINT}~?[^\W\d]\w*)*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|(?<=\w)<[^<>()]*>|\s")
_WORDS = re.compile(r"^\s*(?:(?:const|volatile|struct|class|union|enum|typename|mut|dyn)\s+)+")
_NUMBERS = "void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t char32_t"
_RUST_NUMBERS = "i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 isize usize str self"
_NO_NAMES = frozenset(f"{_NUMBERS} {_RUST_NUMBERS}".split())
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(:\d+)?")


def symbol_of(text: str) -> str:
    """Returns the name of a symbol: `cart.items.pay` for `cart.items[0].pay(3)`; empty if the text is no name.

    Also accepts `order->next`, `Stack::push` for `Stack<int>::push` and `vec` for `vec![]`.
    """
    plain = _WORDS.sub("", text).strip().lstrip("*&").removeprefix("::")
    count = 1
    while count:
        plain, count = _BRACKETS.subn("", plain)
    plain = plain.removesuffix("!")
    return plain if _SYMBOL.fullmatch(plain) else ""


def columns_of(text: str, symbol: str) -> list[int]:
    """Returns the 0-based columns at which the last part of a symbol occurs in a line. Whole matches come first."""
    if not symbol:
        return []
    parts = re.split(_JOINT, symbol)
    dotted = "".join(rf"{re.escape(part)}\s*{_JOINT}\s*" for part in parts[:-1])
    last = re.escape(parts[-1])
    whole = re.finditer(rf"(?<![\w.]){dotted}({last})(?!\w)", text)
    alone = re.finditer(rf"(?<!\w)({last})(?!\w)", text)
    return list(dict.fromkeys(match.start(1) for match in (*whole, *alone)))


def type_name(text: str) -> str:
    """Returns the name of a type: `shop::Order` for `const struct shop::Order *[4]`.

    Empty for a numeric type, or if the text is no name.
    """
    name = symbol_of(re.sub(r"\b(const|volatile|struct|class|union|enum|mut|dyn)\b|[*&]", " ", text).strip())
    return "" if name in _NO_NAMES or any(word in _NO_NAMES for word in text.split()) else name


def place_of(file: str, line: int = 0) -> tuple[str, int]:
    """Splits `shop.c:12` into file and line. If `line` is given, returns both arguments unchanged."""
    found = _PLACE.fullmatch(file.strip())
    if not found or line:
        return file, line
    return found["file"], int(found["line"])

from lexer import FormulaError
from grammar import Parser, compute
from sheet import Circular, Sheet


def value(text, **names):
    return compute(Parser(text).whole(), names)


def refused(text):
    try:
        Parser(text).whole()
    except FormulaError as error:
        return error.position
    return None


CASES = [
    ("1 + 2 * 3", 7),
    ("10 - 4 - 3", 3),
    ("-2 ** 2", -4),
    ("2 ** 3 ** 2", 512),
    ("2 ** -1", 0.5),
    ("(1 + 2) * 3 / 4", 2.25),
    ("max(1, 7, 3) - min(4, 2)", 5),
    ("if(2 <= 1, 10, 20)", 20),
    ("abs(-3.5) > 3", 1),
    ("5 - -2", 7),
]


def main():
    for text, expected in CASES:
        assert value(text) == expected, text
    assert value("rate_1 * hours", rate_1=2.5, hours=8) == 20
    assert refused("1 + $") == 4
    assert refused("(1 + 2") == 6
    assert refused("1.2.3") == 0
    assert refused("2 3") == 2
    assert refused("a < b") is None

    sheet = Sheet()
    sheet.set("net", "200")
    sheet.set("tax", "net * 0.25")
    sheet.set("gross", "net + tax + if(net >= 200, fee, 0)")
    sheet.set("fee", "max(3, net / 50)")
    assert sheet.get("gross") == 254
    sheet.set("net", "100")
    assert sheet.get("tax") == 25
    assert sheet.get("gross") == 125
    sheet.set("fee", "gross / 10")
    try:
        sheet.get("fee")
    except Circular as error:
        assert str(error) == "fee -> gross -> fee"
    else:
        raise AssertionError("a circle was computed")


if __name__ == "__main__":
    main()

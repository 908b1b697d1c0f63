"""Small programs that fail, each with its faulty line marked `# BUG` (more lines: each is a right answer) and the
text that proves the diagnosis."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {}


def _program(name: str, proof: str, text: str) -> None:
    PROGRAMS[name] = (text.lstrip("\n"), proof)


_program(
    "mean_divides_wrong",
    "4",
    """
def mean(values):
    total = 0
    for value in values:
        total += value
    return total / (len(values) - 1)  # BUG

result = mean([1, 2, 3, 6])
assert result == 3.0, "the mean of 1 2 3 6"
""",
)
_program(
    "missing_key_type",
    "'7'",
    """
def load():
    return {"7": "seven", "8": "eight"}

def name_of(table, number):
    return table[number]  # BUG

def main():
    table = load()
    print(name_of(table, 7))  # BUG

main()
""",
)
_program(
    "zero_from_filter",
    "0",
    """
def long_words(words):
    return [w for w in words if len(w) > 9]  # BUG

def average(words):
    chosen = long_words(words)
    return sum(len(w) for w in chosen) / len(chosen)  # BUG

average(["pear", "plum", "fig"])
""",
)
_program(
    "early_return",
    "2",
    """
def count_even(numbers):
    count = 0
    for n in numbers:
        if n % 2 == 0:
            count += 1
        return count  # BUG

assert count_even([2, 4, 6]) == 3
""",
)
_program(
    "boundary",
    "['Bob']",
    """
def is_adult(age):
    return age > 18  # BUG

def may_enter(people):
    return [p for p, age in people if is_adult(age)]

guests = may_enter([("Ann", 18), ("Bob", 30)])
assert guests == ["Ann", "Bob"], guests
""",
)
_program(
    "swapped_arguments",
    "-6",
    """
def subtract(larger, smaller):
    return larger - smaller

def change(price, paid):
    smaller, larger = price, paid
    return subtract(smaller, larger)  # BUG

given = change(4, 10)
assert given == 6
""",
)
_program(
    "sort_gives_none",
    "None",
    """
def ranking(points):
    ordered = points.sort()  # BUG
    return ordered[0]

ranking([3, 1, 2])
""",
)
_program(
    "class_attribute",
    "['milk', 'bread']",
    """
class Basket:
    items = []  # BUG

    def add(self, item):
        self.items.append(item)

one, two = Basket(), Basket()
one.add("milk")
two.add("bread")
assert two.items == ["bread"]
""",
)
_program(
    "float_equal",
    "0.30000000000000004",
    """
def total(parts):
    return sum(parts)

owed = total([0.1, 0.2])
assert owed == 0.3  # BUG
""",
)
_program(
    "recursion",
    "RecursionError",
    """
def depth(tree):
    if tree is None:
        return 0
    return 1 + depth(tree)  # BUG

depth({"left": None})
""",
)
_program(
    "near_name",
    "total",
    """
def pay(prices):
    total = sum(prices)
    return totl * 1.2  # BUG

pay([1, 2])
""",
)
_program(
    "attribute_of_other",
    "writes",
    """
class Counter:
    def __init__(self, start):
        self.value = start

    def reset(self):
        self.value = None  # BUG

    def step(self):
        self.value += 1  # BUG

c = Counter(3)
c.reset()
c.step()
""",
)
_program(
    "int_of_text",
    "'12 kg'",
    """
def weight(text):
    return int(text)  # BUG

def read(line):
    name, amount = line.split(":")  # BUG
    return name, weight(amount.strip())

read("flour: 12 kg")
""",
)
_program(
    "removes_in_loop",
    "[2, 4, 5]",
    """
def odd(numbers):
    for n in numbers:  # BUG
        if n % 2 == 0:
            numbers.remove(n)  # BUG
    return numbers

left = odd([2, 2, 4, 4, 5])
assert left == [5]
""",
)
_program(
    "wrong_loop_variable",
    "4",
    """
def diagonal(matrix):
    total = 0
    for i in range(len(matrix)):
        total += matrix[i][0]  # BUG
    return total

assert diagonal([[1, 2], [3, 4]]) == 5
""",
)
_program(
    "or_without_comparison",
    "'sun'",
    """
def is_weekend(day):
    return day == "sat" or "sun"  # BUG

assert not is_weekend("mon"), is_weekend("mon")
""",
)


def faulty_lines(text: str) -> list[int]:
    """The marked lines, 1-based."""
    return [n for n, line in enumerate(text.splitlines(), 1) if "# BUG" in line]


_program(
    "get_of_a_near_key",
    "'SPRING10'",
    """
COUPONS = {"SPRING10": 0.10, "VIP": 0.25}

def discount(total, coupon):
    rate = COUPONS.get(coupon.upper())  # BUG
    return total * rate

def pay(total, coupon):
    total = total - discount(total, coupon)
    return total

pay(20, "spring-10")
""",
)
_program(
    "none_inside",
    "[2]['score']",
    """
def fetch(n):
    return {"id": n, "score": None if n == 2 else n}  # BUG

def best(rows):
    return max(rows, key=lambda row: row["score"])  # BUG

rows = [fetch(n) for n in range(4)]
best(rows)
""",
)

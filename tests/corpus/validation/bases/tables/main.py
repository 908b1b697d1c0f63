from cells import aligned, duration, grouped, money, percent, shortened, wrapped
from table import Column, Table, amount, boxed, inhabitants, shares

EXPECTED = """\
city         | inhabitants |    budget
-------------+-------------+----------
Northhaven   |   1,204,000 |  9,870.50
Little Br... |         950 |     12.05
Southport    |      48,300 | -1,000.00"""

BOX = """\
+-----------+
| a box for |
| a short   |
| text      |
+-----------+"""


def cities():
    table = Table(Column("city", width=12), inhabitants(), amount("budget"))
    table.add("Northhaven", 1204000, 987050)
    table.add("Little Brookfield", 950, 1205)
    table.add("Southport", 48300, -100000)
    return table


assert grouped(999) == "999"
assert grouped(-1234567) == "-1,234,567"
assert money(5) == "0.05"
assert money(-123456) == "-1,234.56"
assert percent(0.125) == "12.5%"
assert percent(2 / 3, 0) == "67%"
assert duration(59) == "0:59"
assert duration(3725) == "1:02:05"
assert shortened("abcdefgh", 8) == "abcdefgh"
assert shortened("abcdefghi", 8) == "abcde..."
assert aligned("ab", 6, "center") == "  ab  "
assert wrapped("to be or not to be", 9) == ["to be or", "not to be"]

table = cities()
assert table.render() == EXPECTED, table.render()
assert table.widths() == [12, 11, 9]
assert table.total("inhabitants") == 1253250
ranked = table.sorted_by("budget", descending=True)
assert [row[0] for row in ranked.rows] == ["Northhaven", "Little Brookfield", "Southport"]
assert [row[1] for row in table.sorted_by("inhabitants").rows] == [950, 48300, 1204000]
assert table.rows[0][0] == "Northhaven"

parts = shares(table, "inhabitants").render().splitlines()
assert len(parts) == 5
assert parts[2] == "Northhaven        | 96.1%"
assert parts[3].endswith("|  0.1%")

open_table = Table(Column("task"), Column("time", duration, "right"))
open_table.add("sweep", 75)
open_table.add("cook", None)
assert open_table.render().splitlines()[2:] == ["sweep | 1:15", "cook  |    -"]
assert open_table.total("time") == 75
assert boxed("a box for a short text", 10) == BOX

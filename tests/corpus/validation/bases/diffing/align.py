"""How two sequences become each other."""


def distance(one, other):
    """Insertions, deletions and replacements from one to the other."""
    previous = list(range(len(other) + 1))
    for row, left in enumerate(one, 1):
        current = [row]
        for column, right in enumerate(other, 1):
            cost = 0 if left == right else 1
            current.append(min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost))
        previous = current
    return previous[-1]


def common_table(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in range(len(one)):
        for column in range(len(other)):
            if one[row] == other[column]:
                table[row + 1][column + 1] = table[row][column] + 1
            else:
                table[row + 1][column + 1] = max(table[row][column + 1], table[row + 1][column])
    return table


def changes(one, other):
    """Pairs of a sign (" ", "-" or "+") and an item."""
    table = common_table(one, other)
    row, column = len(one), len(other)
    found = []
    while row or column:
        if row and column and one[row - 1] == other[column - 1]:
            row -= 1
            column -= 1
            found.append((" ", one[row]))
        elif column and (row == 0 or table[row][column - 1] >= table[row - 1][column]):
            column -= 1
            found.append(("+", other[column]))
        else:
            row -= 1
            found.append(("-", one[row]))
    found.reverse()
    return found


def patched(one, steps):
    result = []
    position = 0
    for sign, item in steps:
        if sign == "+":
            result.append(item)
            continue
        if one[position] != item:
            raise ValueError(f"expected {item!r}, found {one[position]!r}")
        if sign == " ":
            result.append(item)
        position += 1
    return result

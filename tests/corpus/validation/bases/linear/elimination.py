"""Gauss's elimination and what follows from it."""

from fractions import Fraction

from matrix import Matrix


def pivot_row(rows, column, start):
    for index in range(start, len(rows)):
        if rows[index][column] != 0:
            return index
    return None


def eliminated(matrix):
    """The upper triangle of a copy, and the sign of the row swaps."""
    rows = matrix.copy().rows
    sign = 1
    top = 0
    for column in range(matrix.width):
        found = pivot_row(rows, column, top)
        if found is None:
            continue
        if found != top:
            rows[found], rows[top] = rows[top], rows[found]
            sign = -sign
        for below in range(top + 1, len(rows)):
            factor = rows[below][column] / rows[top][column]
            rows[below] = [a - factor * b for a, b in zip(rows[below], rows[top])]
        top += 1
        if top == len(rows):
            break
    return rows, sign


def determinant(matrix):
    if matrix.width != matrix.height:
        raise ValueError("not square")
    rows, sign = eliminated(matrix)
    product = Fraction(sign)
    for index, row in enumerate(rows):
        product *= row[index]
    return product


def rank(matrix):
    rows, _ = eliminated(matrix)
    return sum(1 for row in rows if any(row))


def solve(matrix, right):
    joined = Matrix([[*row, value] for row, value in zip(matrix.rows, right)])
    rows, _ = eliminated(joined)
    size = matrix.height
    solution = [Fraction(0)] * size
    for index in reversed(range(size)):
        known = sum(rows[index][later] * solution[later] for later in range(index + 1, size))
        solution[index] = (rows[index][-1] - known) / rows[index][index]
    return solution


def inverse(matrix):
    columns = [solve(matrix, unit) for unit in Matrix.identity(matrix.height).rows]
    return Matrix(columns).transposed()

"""Matrices of fractions."""

from fractions import Fraction


class Matrix:
    def __init__(self, rows):
        self.rows = [[Fraction(value) for value in row] for row in rows]
        if len({len(row) for row in self.rows}) > 1:
            raise ValueError("ragged rows")

    @classmethod
    def identity(cls, size):
        return cls([[1 if row == column else 0 for column in range(size)] for row in range(size)])

    @property
    def height(self):
        return len(self.rows)

    @property
    def width(self):
        return len(self.rows[0])

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows

    def __repr__(self):
        return f"Matrix({[[str(value) for value in row] for row in self.rows]})"

    def copy(self):
        return Matrix(self.rows)

    def transposed(self):
        return Matrix([[row[column] for row in self.rows] for column in range(self.width)])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(one, two)] for one, two in zip(self.rows, other.rows)])

    def __matmul__(self, other):
        if self.width != other.height:
            raise ValueError("sizes do not fit")
        result = []
        for row in self.rows:
            result.append([])
            for column in range(other.width):
                total = Fraction(0)
                for index in range(self.width):
                    total += row[index] * other.rows[index][column]
                result[-1].append(total)
        return Matrix(result)

    def power(self, exponent):
        result = Matrix.identity(self.height)
        base = self
        while exponent:
            if exponent % 2 == 1:
                result = result @ base
            base = base @ base
            exponent //= 2
        return result

"""Plain matrices: how many screws and boards do the orders of a workshop need?"""


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def height(self):
        return len(self.rows)

    @property
    def width(self):
        return len(self.rows[0])

    def transposed(self):
        return Matrix(zip(*self.rows))

    def times(self, other):
        if self.width != other.height:
            raise ValueError(f"{self.width} columns do not fit {other.height} rows")
        product = [[0] * self.width for _ in range(self.height)]
        for i in range(self.height):
            for j in range(other.width):
                for k in range(self.width):
                    product[i][j] += self.rows[i][k] * other.rows[k][j]
        return Matrix(product)

    def scaled(self, factor):
        return Matrix([factor * value for value in row] for row in self.rows)


def identity(size):
    return Matrix([1 if i == j else 0 for j in range(size)] for i in range(size))


PARTS = Matrix(
    [
        [8, 2, 1, 4],
        [12, 4, 0, 6],
    ]
)

ORDERS = Matrix(
    [
        [3, 1],
        [0, 2],
        [5, 5],
    ]
)


def main():
    assert identity(3).times(identity(3)).rows == identity(3).rows
    assert ORDERS.transposed().height == 2
    needed = ORDERS.times(PARTS)
    for order, parts in enumerate(needed.rows, 1):
        print(order, parts)


if __name__ == "__main__":
    main()

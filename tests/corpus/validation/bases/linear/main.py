from elimination import determinant, inverse, rank, solve
from matrix import Matrix

A = Matrix([[0, 2, 1], [1, -2, -3], [-1, 1, 2]])
B = Matrix([[2, 1], [7, 4]])


def test_product():
    assert B @ Matrix.identity(2) == B
    assert (B @ B).rows == [[11, 6], [42, 23]]
    assert A.transposed().rows[0] == [0, 1, -1]
    wide = Matrix([[1, 2, 3]])
    assert (wide @ A).rows == [[-1, 1, 1]]


def test_power():
    fibonacci = Matrix([[1, 1], [1, 0]])
    assert fibonacci.power(0) == Matrix.identity(2)
    assert fibonacci.power(10).rows[0] == [89, 55]
    assert (B + B).power(1).rows[1] == [14, 8]


def test_determinant():
    assert determinant(B) == 1
    assert determinant(A) == 1
    assert determinant(Matrix([[2, 0, 0], [0, 3, 0], [0, 0, 4]])) == 24
    assert determinant(Matrix([[1, 2], [2, 4]])) == 0
    assert A.rows[0] == [0, 2, 1]


def test_rank():
    assert rank(A) == 3
    assert rank(Matrix([[1, 2, 3], [2, 4, 6], [1, 0, 1]])) == 2
    assert rank(Matrix([[0, 0], [0, 5]])) == 1


def test_solutions():
    assert solve(A, [-8, 0, 3]) == [-4, -5, 2]
    assert solve(B, [1, 1]) == [3, -5]
    assert inverse(B).rows == [[4, -1], [-7, 2]]
    assert inverse(A) @ A == Matrix.identity(3)


for test in (test_product, test_power, test_determinant, test_rank, test_solutions):
    test()
print("ok")

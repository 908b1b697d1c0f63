import random

import pytest
from stats import mean


@pytest.mark.parametrize("number", range(6))
def test_number(number):
    drawn = [random.random(), random.random()]
    print(drawn)
    assert number % 3 or mean([number, number + 1, number + 2]) == number + 1

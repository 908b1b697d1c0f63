"""Run with `python -m unittest`: one failure, one error, one that passes."""

import unittest


def median(numbers):
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]


class MedianTest(unittest.TestCase):
    def test_of_an_odd_number(self):
        self.assertEqual(median([3, 1, 2]), 2)

    def test_of_an_even_number(self):
        result = median([1, 2, 3, 4])
        self.assertEqual(result, 2.5)  # @bp failure

    def test_of_none(self):
        self.assertEqual(median([]), 0)  # @bp error


if __name__ == "__main__":
    unittest.main()

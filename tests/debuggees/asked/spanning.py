import unittest

from spans import Span, within


def test_its_end():
    assert within(Span(1, 3), 1)


def test_inside():
    assert within(Span(1, 3), 2)


def test_below():
    assert not within(Span(1, 3), 0)


def test_above():
    assert not within(Span(1, 3), 4)


class ByUnittest(unittest.TestCase):
    def test_its_other_end(self):
        self.assertTrue(within(Span(1, 3), 3))

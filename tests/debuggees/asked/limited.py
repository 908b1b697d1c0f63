"""Tests of which some pass: a change with which `test_too_long` passes alone breaks `test_fits`."""

import unittest

import limits
import pytest


@pytest.mark.parametrize("text", ["a", "ab"])
def test_fits(text):
    assert limits.fits(text, 2)


@pytest.mark.parametrize("text", ["abc", "abcd"])
def test_too_long(text):
    assert not limits.fits(text, 2)


class ByUnittest(unittest.TestCase):
    def test_fits(self):
        self.assertTrue(limits.fits("b", 2))

    def test_too_long(self):
        self.assertFalse(limits.fits("bcd", 2))

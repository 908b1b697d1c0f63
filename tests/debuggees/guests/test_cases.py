import logging
import unittest
from unittest import mock

import stats


class Case(unittest.TestCase):
    def setUp(self):
        self.numbers = [1, 2, 3]
        self.addCleanup(print, "cleaned up")

    def tearDown(self):
        self.numbers.clear()
        print("torn down")

    def test_fails(self):
        self.assertEqual(stats.mean(self.numbers), 2)

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(stats.mean(self.numbers), 2)

    def test_parts(self):
        for number in (2, 3):
            with self.subTest(number=number):
                self.assertEqual(stats.mean(self.numbers), number)

    def test_skipped(self):
        self.skipTest("not now")

    def test_passes(self):
        self.assertEqual(len(self.numbers), 3)


class Twice(unittest.TestCase):
    def tearDown(self):
        raise OSError("cannot be torn down")

    def test_fails(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)


class Async(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.addAsyncCleanup(self.shut)

    async def shut(self):
        logging.getLogger().warning("shut")

    async def test_fails(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)

    @mock.patch("stats.mean", lambda numbers: 5)
    async def test_patched(self):
        self.assertEqual(stats.mean([1, 2, 3]), 2)


@mock.patch("stats.mean", lambda numbers: 5)
def test_patched():
    assert stats.mean([1, 2, 3]) == 2

import unittest

import pytest
from stats import mean


class Case(unittest.TestCase):
    def tearDown(self):
        print("torn down")

    @pytest.mark.timeout(0.6)
    def test_mean_within_its_limit(self):  # the first answer takes longer: a process starts
        self.assertEqual(mean([1, 2, 3]), 2)

import time

import freezegun
import pytest
from stats import mean


@pytest.fixture
def frozen():
    with freezegun.freeze_time("2020-01-01") as clock:
        yield clock


def test_mean_in_frozen_time(frozen):
    now = time.time()
    assert mean([now, now, now]) == now


def test_time_stands(frozen):
    assert time.time() == 1577836800.0
    assert time.monotonic() == time.monotonic()

import signal
import time

import pytest
from stats import mean


@pytest.mark.timeout(0.3)
def test_too_slow():
    xs = [1, 2, 3]
    while True:
        time.sleep(0.01)


@pytest.mark.timeout(5)
def test_mean_within_its_limit():
    assert mean([1, 2, 3]) == 2


@pytest.fixture
def alarm():
    def ring(number, frame):
        rung.append(number)
        pytest.fail("the alarm of the test")

    rung = []
    before = signal.signal(signal.SIGALRM, ring)
    yield rung
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.timeout(0)
def test_mean_with_an_alarm_of_its_own(alarm):
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    assert mean([1, 2, 3]) == 2

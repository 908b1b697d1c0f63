import pytest
import trio
from stats import mean


@pytest.mark.trio
async def test_mean_in_a_nursery(nursery):
    xs = [1, 2, 3]
    nursery.start_soon(trio.sleep, 0)
    assert mean(xs) == 2


@pytest.mark.trio
async def test_slept(autojump_clock):
    await trio.sleep(100)

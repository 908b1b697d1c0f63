import asyncio

import pytest
from stats import mean


@pytest.mark.asyncio
async def test_mean_awaited():
    xs = [1, 2, 3]
    await asyncio.sleep(0)
    assert mean(xs) == 2


@pytest.mark.asyncio
async def test_awaited():
    await asyncio.sleep(0)

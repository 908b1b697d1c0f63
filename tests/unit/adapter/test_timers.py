"""Timers: one that stands still does not run out, and goes on with what was left."""

from __future__ import annotations

import asyncio

import pytest

from dap_ai.adapter.io.timers import Timers
from tests.patience import patient

pytestmark = pytest.mark.anyio


class Fired:
    """What has run out."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.news = asyncio.Event()

    def __call__(self, timer_id: str) -> None:
        self.names.append(timer_id)
        self.news.set()


async def test_a_timer_that_stands_still_runs_out_only_after_it_goes_on():
    timers = Timers(fired := Fired())
    timers.set("paused", 0.0)
    timers.pause("paused")
    timers.set("other", 0.0)
    await asyncio.wait_for(fired.news.wait(), patient(5))
    assert fired.names == ["other"]

    fired.news.clear()
    timers.resume("paused")
    await asyncio.wait_for(fired.news.wait(), patient(5))
    assert fired.names == ["other", "paused"]


@pytest.mark.parametrize("end", ["cancel", "cancel_all"])
async def test_a_timer_that_was_cancelled_while_it_stood_still_does_not_go_on(end: str):
    timers = Timers(fired := Fired())
    timers.set("a", 0.0)
    timers.pause("a")
    if end == "cancel":
        timers.cancel("a")
    else:
        timers.cancel_all()
    timers.resume("a")
    timers.set("other", 0.0)
    await asyncio.wait_for(fired.news.wait(), patient(5))
    assert fired.names == ["other"]


async def test_a_timer_that_is_set_anew_while_it_stands_still_runs():
    timers = Timers(fired := Fired())
    timers.set("a", 60.0)
    timers.pause("a")
    timers.set("a", 0.0)
    timers.resume("a")
    await asyncio.wait_for(fired.news.wait(), patient(5))
    assert fired.names == ["a"]


async def test_to_pause_or_resume_what_does_not_run_changes_nothing():
    timers = Timers(fired := Fired())
    timers.pause("a")
    timers.resume("a")
    timers.set("other", 0.0)
    await asyncio.wait_for(fired.news.wait(), patient(5))
    assert fired.names == ["other"]

from __future__ import annotations

import asyncio
import time

import pytest

from dap_ai import limits
from dap_ai.adapter.io.timers import Timers
from dap_ai.limits import Limit, wait_for

WAIT_S = 10.0


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):
    """`load(3)`: other programs want three times as many processors as there are."""

    def set_to(times: float) -> None:
        monkeypatch.setattr(limits, "_wanted", lambda: times * (limits.os.cpu_count() or 1))

    set_to(0)
    return set_to


@pytest.mark.parametrize(("times", "slack"), [(0.0, 1.0), (0.9, 1.0), (3.5, 3.5), (500.0, 10.0)])
def test_a_limit_grows_with_the_load_but_not_for_ever(load, times, slack):
    load(times)
    assert limits.slack() == slack


def test_the_load_is_read_where_there_is_one_and_otherwise_the_machine_is_idle(monkeypatch, tmp_path):
    monkeypatch.delattr("os.getloadavg")
    monkeypatch.setattr(limits, "_LOAD", str(tmp_path / "loadavg"))
    assert limits.slack() == 1.0
    (tmp_path / "loadavg").write_text(f"0.10 0.20 0.30 {2 * limits.os.cpu_count()}/812 30211\n")
    assert limits.slack() == 2.0


def test_what_hangs_is_ended_also_on_a_busy_machine(load):
    load(3)
    with pytest.raises((TimeoutError, asyncio.TimeoutError)):
        asyncio.run(wait_for(asyncio.Event().wait(), 0.01))


def test_what_is_slow_is_waited_for_when_the_machine_becomes_busy_meanwhile(load):
    async def slow() -> int:
        load(10)
        await asyncio.sleep(0.1)
        return 3

    assert asyncio.run(wait_for(slow(), 0.05)) == 3


def test_who_waits_passes_errors_on_and_ends_what_it_waited_for_when_it_is_cancelled(load):
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def fails() -> None:
        raise ValueError("none")

    async def main() -> None:
        with pytest.raises(ValueError, match="none"):
            await wait_for(fails(), WAIT_S)
        waiting = asyncio.create_task(wait_for(work(), WAIT_S))
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
    assert ended == [True]


def test_without_a_limit_it_waits_as_long_as_it_takes():
    assert asyncio.run(wait_for(asyncio.sleep(0.01, 3), None)) == 3


def test_a_timer_of_the_adapter_gives_it_the_time_that_a_busy_machine_takes(load):
    load(10)
    fired: list[str] = []

    async def main() -> None:
        timers = Timers(fired.append)
        timers.set("patient", 0.02, patient=True)
        timers.set("clock", 0.02)
        await asyncio.sleep(0.06)
        assert fired == ["clock"]
        load(0)
        timers.set("later", 0.2)
        until = time.monotonic() + WAIT_S
        while len(fired) < 3 and time.monotonic() < until:
            await asyncio.sleep(0.01)
        assert fired == ["clock", "patient", "later"]

    asyncio.run(main())


def test_nothing_is_left_of_a_limit_that_is_over(load):
    assert Limit(0.0).left_s == 0.0 and 0.0 < Limit(WAIT_S).left_s <= WAIT_S

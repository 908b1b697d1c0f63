from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest

from dap_ai.adapter.io.timers import Timers
from dap_ai.system import load_limits
from dap_ai.system.load_limits import Limit, wait_for
from tests.patience import patient

WAIT_S = 10.0


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):
    """`load(3)`: other programs want three times as many processors as there are."""

    def set_to(times: float) -> None:
        monkeypatch.setattr(load_limits, "_load", lambda: times * (load_limits.os.cpu_count() or 1))

    set_to(0)
    return set_to


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch):
    """`clock(2)`: the time is 2 s, and stands still, as this process may, too."""

    def set_to(now_s: float) -> None:
        monkeypatch.setattr(load_limits, "time", SimpleNamespace(monotonic=lambda: now_s))

    set_to(0)
    return set_to


@pytest.mark.parametrize(("times", "slack"), [(0.0, 1.0), (0.9, 1.0), (3.5, 3.5), (500.0, 10.0)])
def test_a_limit_grows_with_the_load_but_not_for_ever(load, times, slack):
    load(times)
    assert load_limits.slack() == slack


def test_the_load_is_read_where_there_is_one_and_otherwise_the_machine_is_idle(monkeypatch, tmp_path):
    monkeypatch.delattr("os.getloadavg")
    monkeypatch.setattr(load_limits, "_LOAD", str(tmp_path / "loadavg"))
    assert load_limits.slack() == 1.0
    (tmp_path / "loadavg").write_text(f"0.10 0.20 0.30 {2 * load_limits.os.cpu_count()}/812 30211\n")
    assert load_limits.slack() == 2.0


def test_what_hangs_is_ended_also_on_a_busy_machine(load):
    load(3)
    with pytest.raises((TimeoutError, asyncio.TimeoutError)):
        asyncio.run(wait_for(asyncio.Event().wait(), 0.01))


@pytest.mark.usefixtures("clock")
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


def test_a_timer_of_the_adapter_gives_it_the_time_that_a_busy_machine_takes(load, clock):
    load(10)
    fired: list[str] = []

    async def main() -> None:
        timers = Timers(fired.append)
        timers.set("patient", 0.02, patient=True)
        clock(0.1)
        timers.set("clock", 0.04)  # after the other, were it not patient
        await until(1)
        assert fired == ["clock"]
        load(0)
        await until(2)
        assert fired == ["clock", "patient"]

    async def until(count: int) -> None:
        ends = time.monotonic() + patient(WAIT_S)
        while len(fired) < count and time.monotonic() < ends:
            await asyncio.sleep(0.01)

    asyncio.run(main())


def test_nothing_is_left_of_a_limit_that_is_over(load):
    assert Limit(0.0).left_s == 0.0 and 0.0 < Limit(WAIT_S).left_s <= WAIT_S

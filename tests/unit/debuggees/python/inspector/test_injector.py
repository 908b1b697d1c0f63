from __future__ import annotations

import gc
import importlib.util
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.python.inspector.hints import __file__ as hints
from dap_ai.debuggees.python.inspector.injector import Injector


def installed(injector: Injector, source: str) -> Any:
    """A module of this source, as an injected one."""
    injector._add("tried", source)
    return injector._made["tried"]


def seven(*_: Any) -> int:
    return 7


def test_what_is_replaced_later_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    injector = Injector()
    calls: list[str] = []
    monkeypatch.setattr(time, "perf_counter", lambda: calls.append("clock"))

    installed(injector, "import time\ntime.perf_counter()")

    assert not calls


@pytest.mark.parametrize("source", ["import time; time.perf_counter", "from time import perf_counter"])
def test_what_was_replaced_before_is_named(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)

    with pytest.raises(RuntimeError, match=r"the program has replaced time\.perf_counter"):
        installed(Injector(), source)


def test_a_injector_is_not_opened_over_replaced_builtins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.divmod", seven)

    with pytest.raises(RuntimeError, match=r"the program has replaced builtins\.divmod"):
        Injector()


def test_builtins_that_are_replaced_later_are_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    injector = Injector()
    monkeypatch.setattr("builtins.divmod", seven)

    assert installed(injector, "made = divmod(7, 2)").made == (3, 1)


def test_data_of_sys_is_what_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    made = installed(Injector(), "import sys\ndef arguments(): return sys.argv")
    monkeypatch.setattr(sys, "argv", ["later"])

    assert made.arguments() == ["later"]


def test_a_lazy_module_is_refused_and_stays_lazy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loader(types.SimpleNamespace):
        def create_module(self, _: Any) -> None:
            return None

        def exec_module(self, _: Any) -> None:
            pytest.fail("it was loaded")

    loader: Any = importlib.util.LazyLoader(Loader())  # pyright: ignore[reportArgumentType]
    spec = importlib.util.spec_from_loader("quite_lazy", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "quite_lazy", module)

    with pytest.raises(ImportError, match="something else in the place of the module quite_lazy"):
        installed(Injector(), "import quite_lazy")


def test_named_tuples_of_injected_modules_are_made_without_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    injector = Injector()
    injector._add("hints", Path(hints).read_text(encoding="utf-8"))
    head = "from __future__ import annotations\nfrom typing import NamedTuple\n"
    source = head + "class Pair(NamedTuple):\n    x: int\n    y: int = 2"
    monkeypatch.setitem(sys.modules, "typing", types.ModuleType("typing"))

    pair = installed(injector, source).Pair

    assert (pair(1), pair(x=3, y=4).y, pair(5).x) == ((1, 2), 4, 5)
    with pytest.raises(TypeError, match="Pair takes x, y"):
        pair()


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.usefixtures("no_collection")
def test_the_collector_is_left_as_it_was_and_counts_no_more(collecting: bool) -> None:
    injector = Injector()
    kept: list[Any] = []
    seen: list[tuple[int, int, int]] = []

    def note(_: str) -> None:
        seen.append(gc.get_count())

    def has(_: str) -> str:
        kept.extend([] for _ in range(1000))
        return ""

    injector.has = has
    (gc.enable if collecting else gc.disable)()
    before = gc.get_count()

    injector.quietly("has('x')", note)

    assert (gc.isenabled(), seen[0][1:]) == (collecting, before[1:])
    assert seen[0][0] <= before[0] + 50  # the test's own


def test_what_goes_wrong_is_a_text() -> None:
    assert Injector().answer("install('')").startswith("error: ")  # of zlib

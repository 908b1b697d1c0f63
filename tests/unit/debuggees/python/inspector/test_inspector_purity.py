from __future__ import annotations

import collections
import datetime as dt
import gc
import io
import sys
import threading
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dap_ai.debuggees.python.inspector.frame_inspector import __file__ as inspector_file
from dap_ai.debuggees.python.inspector.frame_inspector import inspect
from tests.unit.debuggees.python.hostile import Plain, calls, hostile_objects
from tests.unit.debuggees.python.visiting import frame_of, node, visit

pytestmark = pytest.mark.usefixtures("no_collection")
NAMES = list(hostile_objects())
TOUCHES = """x; x.total; x.described; x.lazy; x.missing; x.__dict__; x.__class__; x[0]; x['a']; x[x]; x + 1;
    1 + x; x * 2; '%s' % x; '%d' % (x,); -x; not x; x and 1; 1 if x else 2; x == 1; 1 == x; x == x; x < x;
    x in [1]; 1 in x; x in x; x is x; x in {1: 2}; {1: 2}[x]; [1, 2][x]; 'abc'[x]; len(x); str(x); repr(x);
    bool(x); int(x); float(x); abs(x); round(x); sum(x); sum([x]); min(x); max([x, x]); sorted([x, x]);
    sorted(x); any(x); all([x]); list(x); tuple(x); set(x); {x}; {x: 1}; dict(x); dict(a=x); range(x);
    enumerate(x); list(zip(x, x)); list(reversed(x)); isinstance(x, str); isinstance(1, x); type(x); f'{x}';
    f'{x!r}'; f'{1:{x}}'; [y for y in x]; [1 for y in [x] if y]; x(); x.get('a'); x.upper(); x.count(x);
    [x].count(1); [x].index(1); (x,).count(x); 'a'.replace('a', x); ','.join(x); ','.join([x]); x.copy();
    [x] + [x]; [x] * 2; [x] == [x]; (x, 1) < (x, 2); {1: x} == {1: x}; {1} | x; {1} & {x}; chr(x); divmod(x, x);
    hex(x); len([x]); x.append(1); x.pop(); [*x]; len(*x); x[x:x]; [1, 2][x:]; x @ x; ~x; x << 2"""


@pytest.mark.parametrize("name", NAMES)
def test_describing_an_object_runs_no_code_of_it(name: str) -> None:
    x = hostile_objects()[name]
    calls.clear()

    visit({"x": x}, max_depth=6)

    assert not calls


@pytest.mark.parametrize("level", ["observe", "compute"])
@pytest.mark.parametrize("name", NAMES)
def test_no_expression_runs_code_of_its_operands(name: str, level: str) -> None:
    nodes = [node(source.strip()) for source in TOUCHES.split(";")]
    x = hostile_objects()[name]
    calls.clear()

    visit({"x": x}, *nodes, level=level, deadline_ms=60_000, max_bytes=10_000_000)

    assert not calls


def test_an_exception_of_a_class_with_code_of_its_own_is_read_without_it() -> None:
    exc = hostile_objects()["exception"]
    calls.clear()

    visit({}, exc=exc)

    assert not calls


def test_iterators_generators_and_files_stay_where_they_are() -> None:
    mapped, produced, opened = map(int, "123"), (n for n in range(3)), io.StringIO("one\ntwo\n")
    nodes = [node(text) for text in ("list(x)", "sum(y)", "[n for n in z]", "3 in x", "next(y)", "z.read()", "len(x)")]

    visit({"x": mapped, "y": produced, "z": opened}, *nodes)

    assert (list(mapped), list(produced), opened.read()) == ([1, 2, 3], [0, 1, 2], "one\ntwo\n")


def test_a_visit_calls_no_function_that_is_written_in_python_but_its_own() -> None:
    own, foreign = str(Path(inspector_file).parent), set[str]()
    names = {"x": Plain(a=[1]), "lock": threading.RLock(), "path": Path("a"), "day": dt.date(2024, 1, 2), "f": node}
    nodes = [node(source) for source in ("x.a[0] + 1", "sorted([2, 1])", "f'{day:>12}'", "[y for y in x.a]", "lock")]

    def note(frame: Any, event: str, _: Any) -> None:
        code, caller = frame.f_code, frame.f_back
        is_ours = caller is not None and caller.f_code.co_filename.startswith(own)
        if event == "call" and is_ours and not code.co_filename.startswith(own):
            foreign.add(f"{code.co_filename}:{code.co_name}")

    frame = frame_of(names)
    sys.setprofile(note)
    try:
        inspect(
            [(1, frame, 1, None)], ValueError("x"), {"frames": [{"frame_id": 1, "expressions": nodes}], "secrets": True}
        )
    finally:
        sys.setprofile(None)

    assert not foreign


def test_no_collection_happens_during_a_visit() -> None:
    seen: list[str] = []

    def callback(phase: str, _: Any) -> None:
        frame = sys._getframe()
        while frame := frame.f_back:  # one that begins before or after it is nobody's concern
            if (frame.f_code.co_filename, frame.f_code.co_name) == (inspector_file, "_inspect"):
                seen.append(phase)

    objects = [Plain(a=[{} for _ in range(50)]) for _ in range(200)]
    gc.collect()
    frame = frame_of({"x": objects})
    query = {"frames": [{"frame_id": 1}], "max_items": 200, "max_text": 100_000}
    gc.callbacks.append(callback)
    gc.enable()
    try:
        inspect([(1, frame, 1, None)], None, query)
    finally:
        gc.callbacks.remove(callback)

    assert seen == []


@pytest.mark.parametrize("collecting", [True, False])
def test_the_collector_is_left_as_it_was(collecting: bool) -> None:
    (gc.enable if collecting else gc.disable)()

    visit({"x": 1})

    assert gc.isenabled() is collecting


@pytest.mark.parametrize(
    "source", ["x", "x.a", "[x, x]", "[y for y in [x]]", "x.nope", "x + 1", "zip([x])", "(y for y in [x])", "x()"]
)
def test_a_visit_keeps_no_reference(source: str) -> None:
    x = Plain(a=[1])
    frame = frame_of({"x": x})
    query = {"frames": [{"frame_id": 1, "expressions": [node(source)]}]}
    inspect([(1, frame, 1, None)], None, query)
    before = sys.getrefcount(x), sys.getrefcount(x.a), sys.getrefcount(frame)

    inspect([(1, frame, 1, None)], None, query)

    assert (sys.getrefcount(x), sys.getrefcount(x.a), sys.getrefcount(frame)) == before


def test_a_defaultdict_gains_no_key_by_being_asked_for_one() -> None:
    x: Any = collections.defaultdict(list, {"a": [1]})

    visit({"x": x}, node("x['b']"), node("x.get('b')"))

    assert dict(x) == {"a": [1]}


def test_an_array_is_not_written_to_by_a_second_argument() -> None:
    x, y = np.array([4.0]), np.array([1.0])

    visit({"x": x, "y": y, "np": np}, node("np.sqrt(x, y)"), node("x.sum(0, None, y)"), node("x.round(0, y)"))

    assert y[0] == 1.0


def test_a_class_check_asks_no_metaclass() -> None:
    asked: list[str] = []

    class Asking(type):
        def __subclasscheck__(cls, other: type) -> bool:
            asked.append("subclass")
            return True

    made = Asking("Made", (), {})

    visit({"Made": made, "x": 1}, node("isinstance(x, Made)"), node("isinstance(Made, type)"))

    assert not asked


def test_a_module_that_calls_itself_numpy_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    x = hostile_objects()["lies"]
    fake = types.ModuleType("numpy")
    fake.__dict__.update(ndarray=type(x), generic=type(x))
    monkeypatch.setitem(sys.modules, "numpy", fake)
    calls.clear()

    visit({"x": x}, node("x + 1"), node("x.mean()"), node("x[0]"))

    assert not calls


def test_a_class_in_the_place_of_a_date_is_not_computed_with(monkeypatch: pytest.MonkeyPatch) -> None:
    class Frozen(dt.date):
        def __sub__(self, _: Any) -> Any:
            raise AssertionError

        def __repr__(self) -> str:
            raise AssertionError

    monkeypatch.setattr(dt, "date", Frozen)

    (fact,) = visit({"x": Frozen(2024, 1, 2)}, node("x - x")).frames[0].values

    assert fact.error == "refused"

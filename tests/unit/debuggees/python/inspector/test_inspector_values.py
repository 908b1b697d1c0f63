from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import io
import json
import pathlib
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import attrs
import msgspec
import numpy as np
import pandas as pd
import pydantic
import pytest

from dap_ai.debuggees.python.inspector.frame_inspector import inspect
from dap_ai.debuggees.python.inspector.stored.values import VisitBudget
from dap_ai.protocol.contracts.inspection import Inspection
from tests.unit.debuggees.python.hostile import Plain
from tests.unit.debuggees.python.visiting import described, frame_of, visit


@dataclasses.dataclass
class Order:
    id: int
    total: float

    @property
    def tax(self) -> float:
        raise AssertionError


@attrs.define
class Slotted:
    name: str
    sizes: list[int]


class Model(pydantic.BaseModel):
    name: str
    sizes: list[int]


class Colour(enum.Enum):
    RED = 1


class Celsius(float):
    pass


class Names(list[str]):
    pass


Point = collections.namedtuple("Point", "x y")  # noqa: PYI024  the untyped kind is meant


@pytest.mark.parametrize(
    ("x", "text", "kind"),
    [
        (None, "None", "none"),
        (True, "True", "bool"),
        (-5, "-5", "int"),
        (0.1, "0.1", "float"),
        (1j, "1j", "complex"),
        ("it's", '"it\'s"', "str"),
        (b"\x00", "b'\\x00'", "bytes"),
        ([1, [2]], "[1, [2]]", "list"),
        ((1,), "(1,)", "tuple"),
        ((), "()", "tuple"),
        (set(), "set()", "set"),
        ({1}, "{1}", "set"),
        (frozenset([1]), "frozenset({1})", "set"),
        ({"a": {1: None}}, "{'a': {1: None}}", "dict"),
        (range(3), "range(0, 3)", "range"),
        (collections.deque([1]), "deque([1])", "list"),
        (collections.OrderedDict(a=1), "OrderedDict({'a': 1})", "dict"),
        (Order(3, 9.5), "<Order id=3 total=9.5>", "object"),
        (Slotted("a", [1]), "<Slotted name='a' sizes=[1]>", "object"),
        (Model(name="a", sizes=[1]), "<Model name='a' sizes=[1]>", "object"),
        (Point(1, 2), "Point(x=1, y=2)", "tuple"),
        (Colour.RED, "<Colour.RED: 1>", "enum"),
        (Celsius(21.5), "Celsius(21.5)", "float"),
        (Names(["a"]), "Names(['a'])", "list"),
        (dt.date(2024, 1, 2), "datetime.date(2024, 1, 2)", "date"),
        (dt.datetime(2024, 1, 2, 3, 4), "datetime.datetime(2024, 1, 2, 3, 4)", "date"),  # noqa: DTZ001
        (dt.timedelta(days=-1, hours=2), "datetime.timedelta(days=-1, seconds=7200)", "date"),
        (decimal.Decimal("-1.50"), "Decimal('-1.50')", "object"),
        (decimal.Decimal("NaN"), "Decimal('NaN')", "object"),
        (fractions.Fraction(1, 3), "Fraction(1, 3)", "object"),
        (uuid.UUID(int=5), "UUID('00000000-0000-0000-0000-000000000005')", "object"),
        (pathlib.PurePosixPath("/a/b"), "PurePosixPath('/a/b')", "path"),
        (ValueError("bad", 3), "ValueError('bad', 3)", "exception"),
        (len, "<built-in function len>", "function"),
        (Order, "<class tests.unit.debuggees.python.inspector.test_inspector_values.Order>", "class"),
        (json, "<module json>", "module"),
        (map(int, "1"), "<map>", "iterator"),
        (threading.Lock(), "<lock, unlocked>", "lock"),
        (np.array([1.5, 2.0]), "array([1.5, 2.0], float64)", "ndarray"),
        (np.zeros((2, 2), int), "array([[0, 0], [0, 0]], int64, shape (2, 2))", "ndarray"),
        (np.array([object()]), "array([<object>], object)", "ndarray"),
        (np.int64(5), "int64(5)", "int"),
        (np.float64(5), "float64(5.0)", "float"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "<DataFrame 2 rows x 2 columns: a, b>", "dataframe"),
        (pd.Series([1.0, 2.0]), "<Series 2 rows float64>", "series"),
    ],
)
def test_a_value_is_one_line_of_text_and_a_kind(x: Any, text: str, kind: str) -> None:
    value = described(x)

    assert (value.text, value.kind) == (text, kind)


@pytest.mark.parametrize(
    ("x", "length"), [("abc", 3), ([1] * 50, 50), ({1: 2}, 1), (range(9), 9), (Names("ab"), 2), (Point(1, 2), 2)]
)
def test_a_containers_length_is_told(x: Any, length: int) -> None:
    assert described(x).length == length


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (list(range(100)), "[0, 1, 2, ... 97 more]"),
        ("x" * 100, "'" + "x" * 16 + "'... 84 more"),
        ({n: n for n in range(9)}, "{0: 0, 1: 1, 2: 2, ... 6 more}"),
        pytest.param(10**5000, "<int of 16610 bits>", id="huge int"),
    ],
)
def test_what_is_left_out_is_counted(x: Any, text: str) -> None:
    value = described(x, max_items=3, max_text=16)

    assert (value.text, value.truncated) == (text, True)


@pytest.mark.parametrize("size", [10**6, 10**7])
def test_a_huge_text_is_cut_before_it_is_copied(size: int) -> None:
    assert len(described("é" * size).text) < 300


def test_a_container_that_holds_itself_ends() -> None:
    x: list[Any] = [1]
    x.append(x)

    assert described(x).text == "[1, [...]]"


def test_an_object_that_holds_itself_ends() -> None:
    x = Plain(a=1)
    x.__dict__["me"] = x

    assert described(x).text == "<Plain a=1 me=<Plain ...>>"


def test_nesting_ends_at_the_depth_that_was_asked_for() -> None:
    assert described([[[[1]]]], max_depth=1).text == "[[[...]]]"


def test_a_thousand_levels_are_no_error() -> None:
    x: list[Any] = []
    for _ in range(100_000):
        x = [x]

    assert described(x).truncated


def test_the_fields_of_an_object_are_those_that_it_stores() -> None:
    value = described(Order(3, 9.5))

    assert [(field.name, field.text) for field in value.fields or []] == [("id", "3"), ("total", "9.5")]


def test_a_property_is_named_and_not_read() -> None:
    assert described(Order(3, 9.5)).note == "not read: tax (property)"


def test_the_keys_of_a_dict_are_listed() -> None:
    assert described({"a": 1, 2: 3}).keys == ["'a'", "2"]


def test_the_columns_of_a_data_frame_are_its_keys() -> None:
    assert described(pd.DataFrame({"a": [1], "b": [2]})).keys == ["'a'", "'b'"]


def test_nan_in_an_array_is_noted() -> None:
    assert described(np.array([1.0, np.nan])).note == "contains 1 nan of 2"


def test_a_mutable_default_shows_what_it_has_gathered() -> None:
    def add(item: int, items: list[int] = []) -> list[int]:  # noqa: B006  the mistake that is looked at
        items.append(item)
        return items

    add(1)
    add(2)

    assert [(field.name, field.text) for field in described(add).fields or []] == [("items", "[1, 2]")]


def test_a_function_says_where_it_was_written() -> None:
    code = visit.__code__

    definition = described(visit).definition

    assert definition is not None
    assert (definition.file, definition.line, definition.name) == (code.co_filename, code.co_firstlineno, "visit")


def test_a_generator_says_where_it_stands() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        yield 2

    fresh, begun, done = numbers(), numbers(), numbers()
    next(begun)
    list(done)

    notes = [described(x).note for x in (fresh, begun, done)]

    assert notes == ["not started", f"suspended at line {numbers.__code__.co_firstlineno + 1}", "finished"]


def test_an_open_file_is_known_by_name_and_mode(tmp_path: pathlib.Path) -> None:
    with (tmp_path / "data.csv").open("w") as file:
        text = described(file).text

    assert text == f"<TextIOWrapper {str(tmp_path / 'data.csv')!r} mode w>"


def test_a_file_in_memory_is_described_without_its_contents() -> None:
    assert described(io.StringIO("secret")).text == "<StringIO>"


def test_a_path_does_not_keep_the_text_that_was_made_of_it() -> None:
    path = pathlib.PurePosixPath("a", "b")

    described(path)

    assert not hasattr(path, "_str")


def test_the_same_object_has_the_same_address() -> None:
    shared: list[int] = []
    inspection = visit({"a": shared, "b": shared, "c": []})

    addresses = [variable.value.address for variable in inspection.frames[0].locals]

    assert addresses[0] == addresses[1] != addresses[2]


@pytest.mark.parametrize("text", ["\ud800", "é\udcff", "\x00", "\u202e", "🐍"])
def test_any_text_survives_the_way_out(text: str) -> None:
    names = {"x": text, "d": {text: text}, "o": Plain(**{text: 1})}
    query = {"frames": [{"frame_id": 1}]}
    plain = inspect([(1, frame_of(names), 1, None)], ValueError(text), query)

    inspection = msgspec.json.decode(json.dumps(plain).encode(), type=Inspection)

    assert len(inspection.frames[0].locals) == 3


def test_a_reply_stays_within_its_bytes() -> None:
    names = {f"name{n}": [{"k" * 50: ["v" * 50] * 50}] * 50 for n in range(60)}
    plain = inspect([(1, frame_of(names), 1, None)], None, {"frames": [{"frame_id": 1}], "max_bytes": 20_000})

    assert plain["truncated"]
    assert len(json.dumps(plain)) < 40_000


def test_a_deadline_gives_what_was_read_so_far() -> None:
    names = {f"name{n}": [Plain(a=[1] * 10)] * 1000 for n in range(60)}

    inspection = visit(names, deadline_ms=0)

    assert inspection.truncated


def test_a_wait_for_a_processor_is_not_counted() -> None:
    budget = VisitBudget(1000, 20)
    threading.Event().wait(0.05)
    assert budget.milliseconds() > 20
    assert not budget.spent()


def test_variables_beyond_the_limit_are_counted() -> None:
    frame = visit({f"name{n}": n for n in range(10)}, max_variables=4).frames[0]

    assert (len(frame.locals), frame.hidden_variables) == (4, 6)


def test_only_the_names_that_were_asked_for_come() -> None:
    query = {"frames": [{"frame_id": 1, "names": ["b"]}]}

    (frame,) = inspect([(1, frame_of({"a": 1, "b": 2}), 1, None)], None, query)["frames"]

    assert [variable["name"] for variable in frame["locals"]] == ["b"]


def test_an_unknown_frame_says_so() -> None:
    (frame,) = inspect([], None, {"frames": [{"frame_id": 9}]})["frames"]

    assert "frame 9 is not of a stopped thread" in frame["error"]


def test_parameters_come_in_the_order_of_the_definition() -> None:
    def f(a: int, *rest: int, k: int = 1, **more: int) -> None:
        local = 5
        raise ValueError(local)

    with pytest.raises(ValueError, match="5") as caught:
        f(1, 2, z=3)
    traceback = caught.tb.tb_next
    assert traceback is not None
    frames = [(1, traceback.tb_frame, traceback.tb_lineno, traceback.tb_lasti)]

    (frame,) = inspect(frames, caught.value, {"frames": [{"frame_id": 1}]})["frames"]

    assert [v["name"] for v in frame["arguments"]] == ["a", "rest", "k", "more"]
    assert [v["name"] for v in frame["locals"]] == ["local"]
    assert frame["unwound"]


def test_a_chain_of_exceptions_is_told_from_the_last_to_the_first() -> None:
    def first() -> None:
        {}["prise"]

    def second() -> None:
        try:
            first()
        except KeyError as error:
            raise ValueError("no price") from error

    with pytest.raises(ValueError, match="no price") as caught:
        second()

    chain = visit({}, exc=caught.value).exceptions

    assert [(each.type, each.message, each.relation) for each in chain] == [
        ("ValueError", "no price", ""),
        ("KeyError", "'prise'", "cause"),
    ]
    assert chain[1].line == first.__code__.co_firstlineno + 1


def test_a_suppressed_context_is_left_out() -> None:
    exc = ValueError("a")
    exc.__context__ = KeyError("b")
    exc.__suppress_context__ = True

    assert len(visit({}, exc=exc).exceptions) == 1


def test_a_cycle_of_contexts_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__context__, second.__context__ = second, first

    assert len(visit({}, exc=first).exceptions) == 2


@pytest.mark.parametrize(
    ("exc", "message"),
    [
        (FileNotFoundError(2, "No such file", "data.csv"), "[Errno 2] No such file: 'data.csv'"),
        (KeyError("k"), "'k'"),
        (ValueError(), ""),
        (ValueError("a", 1), "('a', 1)"),
        (ValueError(Plain(a=1)), "<Plain a=1>"),
    ],
)
def test_a_message_is_made_of_the_arguments(exc: BaseException, message: str) -> None:
    assert visit({}, exc=exc).exceptions[0].message == message


def test_a_waiting_thread_says_what_it_waits_for() -> None:
    finished, started = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        finished.wait()

    thread = threading.Thread(target=wait, name="waiter")
    thread.start()
    started.wait()
    try:
        facts = {each.name: each for each in visit({}).threads}
    finally:
        finished.set()
        thread.join()

    assert facts["waiter"].frames[0].name == "wait"

from __future__ import annotations

import collections
import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dap_ai.debuggees.python.inspector.frame_inspector import inspect
from dap_ai.protocol.contracts.inspection import Inspection
from tests.unit.debuggees.python.hostile import COUNTED, EvilKey, Plain, calls, hostile_objects
from tests.unit.debuggees.python.visiting import frame_of

NAMES = ["a", "b", "c", "len", "hostile", "nope"]
OPERATORS = "+ - * / // % ** << >> & | ^ @ ?".split()  # noqa: SIM905  reads as the table it is
COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "?"]
METHODS = ["upper", "keys", "append", "index", "copy", "total", "__class__", "count", "join", "mean", "ljust", "get"]

atoms = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.complex_numbers(), st.just(...)
)
keys = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.binary())


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=20),
        st.tuples(inner, inner),
        st.sets(keys, max_size=5),
        st.dictionaries(keys, inner, max_size=5),
        st.builds(collections.deque, st.lists(inner, max_size=3)),
        st.builds(lambda x: Plain(field=x), inner),
        st.builds(ValueError, inner),
        st.builds(lambda x: {EvilKey("k"): x}, inner),
    )


objects = st.recursive(atoms, _containers, max_leaves=20)
constants = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(), st.text(max_size=20))


def _nodes(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, max_size=3)
    return st.one_of(
        st.builds(lambda x, name: ["a", x, name], inner, st.sampled_from(METHODS)),
        st.builds(lambda x, i: ["s", x, i], inner, inner),
        st.builds(lambda x, i, j: ["s", x, ["sl", i, j, None]], inner, inner, inner),
        st.builds(lambda op, x: ["u", op, x], st.sampled_from(["-", "+", "~", "not", "?"]), inner),
        st.builds(lambda op, x, y: ["o", op, x, y], st.sampled_from(OPERATORS), inner, inner),
        st.builds(lambda op, x, y: ["cmp", x, [[op, y]]], st.sampled_from(COMPARISONS), inner, inner),
        st.builds(lambda kind, xs: [kind, xs], st.sampled_from(["and", "or", "t", "l", "S"]), some),
        st.builds(lambda t, x, y: ["if", t, x, y], inner, inner, inner),
        st.builds(lambda f, xs: ["call", f, xs, {}], inner, some),
        st.builds(lambda x, name, xs: ["call", ["a", x, name], xs, {}], inner, st.sampled_from(METHODS), some),
        st.builds(lambda f, xs: ["call", ["n", f], xs, {}], st.sampled_from(FUNCTIONS), some),
        st.builds(lambda k, v: ["d", [[k, v]]], inner, inner),
        st.builds(lambda x, spec: ["fs", [["fv", x, "", ["c", spec]]]], inner, st.text(max_size=5)),
        st.builds(
            lambda kind, x, xs: ["comp", kind, x, [[["n", "y"], xs, []]]],
            st.sampled_from(["list", "set", "dict", "gen"]),
            inner,
            inner,
        ),
    )


FUNCTIONS = "len sum min max sorted str repr int float bool list dict set zip range isinstance type abs round".split()  # noqa: SIM905
leaves = st.one_of(
    st.builds(lambda value: ["c", value], constants), st.builds(lambda name: ["n", name], st.sampled_from(NAMES))
)
nodes = st.recursive(leaves, _nodes, max_leaves=8)
junk = st.recursive(constants, lambda inner: st.lists(inner, max_size=4), max_leaves=10)
limits = st.fixed_dictionaries(
    {},
    optional={
        "max_text": st.integers(0, 300),
        "max_items": st.integers(0, 20),
        "max_depth": st.integers(0, 6),
        "max_fields": st.integers(0, 20),
        "max_variables": st.integers(0, 5),
        "max_bytes": st.integers(0, 50_000),
        "level": st.sampled_from(["observe", "compute"]),
    },
)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def reply(names: dict[str, Any], query: dict[str, Any], exc: BaseException | None = None) -> tuple[Inspection, int]:
    """The inspection as it arrives, and its size in bytes."""
    plain = inspect([(1, frame_of(names), 1, None)], exc, query)
    data = json.dumps(plain).encode()
    return msgspec.json.decode(data, type=Inspection), len(data)


@quick
@given(names=st.dictionaries(st.text(max_size=10), objects, max_size=5), limits=limits)
def test_any_objects_make_a_reply_that_decodes(names: dict[str, Any], limits: dict[str, Any]) -> None:
    inspection, _ = reply(names, {"frames": [{"frame_id": 1}], "threads": False, **limits})

    assert not inspection.frames[0].error


@quick
@given(x=objects)
def test_a_reply_is_bounded(x: Any) -> None:
    _, size = reply({"x": [x] * 50}, {"frames": [{"frame_id": 1}], "threads": False, "max_bytes": 5_000})

    assert size < 20_000


@quick
@given(arguments=st.lists(objects, max_size=3), notes=objects)
def test_any_exception_makes_a_reply_that_decodes(arguments: list[Any], notes: Any) -> None:
    exc = ValueError(*arguments)
    exc.__dict__["__notes__"] = notes
    exc.__context__ = KeyError(*arguments)

    inspection, _ = reply({}, {"frames": [], "threads": False}, exc)

    assert inspection.exceptions[0].type == "ValueError"


@quick
@example(expressions=[["comp", "dict", ["n", "hostile"], [[["n", "y"], ["c", "0"], []]]]], x=None, limits={})
@given(expressions=st.lists(st.one_of(nodes, junk), max_size=3), x=objects, limits=limits)
def test_any_expression_is_answered_and_runs_no_code(expressions: list[Any], x: Any, limits: dict[str, Any]) -> None:
    names = {"a": x, "b": [1, "two", 3.0], "c": {"k": x}, "hostile": HOSTILE["lies"]}
    query = {"frames": [{"frame_id": 1, "expressions": expressions}], "threads": False, "deadline_ms": 2000, **limits}
    calls.clear()

    inspection, _ = reply(names, query)

    assert len(inspection.frames[0].values) == len(expressions)
    assert not set(calls) - {"key hash"}  # hypothesis itself hashes the keys it made


HOSTILE = hostile_objects()
assert COUNTED

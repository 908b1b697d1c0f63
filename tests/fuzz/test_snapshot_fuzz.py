"""Any expression over any objects, in one stopped program: a snapshot changes nothing and tells the real value."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.protocol.contracts.inspection import Value
from tests.safety.cases import Case, Group
from tests.safety.harness import Scene, Snapshot, scene_of, told

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="snapshots are made on Linux"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
steady = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)

SETUP = '''
a = b = c = None
count = 0

def noted(x):
    global count
    count += 1
    return x

class Plain:
    def __init__(self, x):
        self.x = x

    def method(self, *more):
        return len(more)

class Sly:
    """Each look at it changes it, and the program."""

    def __init__(self, x):
        self.x, self.looks = x, []

    def look(self, x):
        self.looks.append(len(self.looks))
        return noted(x)

    @property
    def total(self):
        return self.look(len(self.looks))

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return self.__dict__["looks"].append(name) or noted(name)

    def __eq__(self, other): return self.look(len(self.looks) % 2 == 0)
    def __lt__(self, other): return self.look(len(self.looks) % 2 == 0)
    def __hash__(self): return self.look(7)
    def __bool__(self): return self.look(len(self.looks) % 2 == 1)
    def __len__(self): return self.look(len(self.looks))
    def __index__(self): return self.look(len(self.looks))
    def __repr__(self): return self.look("sly %d" % len(self.looks))
    def __call__(self, *more): return self.look(len(more))
    def __contains__(self, x): return self.look(False)
    def __getitem__(self, key):
        if len(self.looks) > 5:
            raise IndexError(key)
        return self.look(key)
    def __add__(self, other): return self.look(self)
    def __iter__(self):
        while self.look(len(self.looks)) < 4:
            yield self.x

def fill(source):
    """Puts other objects there; the only change that is meant."""
    global a, b, c, count
    a, b, c = eval(source)
    count = 0
    return "filled"
'''

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-40, 40),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.text("abc é\n", max_size=4),
).map(repr)


def _holders(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some = st.lists(inner, max_size=4)
    return st.one_of(
        some.map(lambda xs: f"[{', '.join(xs)}]"),
        some.map(lambda xs: f"({''.join(x + ', ' for x in xs)})"),
        st.lists(st.tuples(scalars, inner), max_size=3).map(lambda xs: "{" + ", ".join(": ".join(x) for x in xs) + "}"),
        inner.map("Plain({})".format),
        inner.map("Sly({})".format),
        some.map(lambda xs: f"iter([{', '.join(xs)}])"),
        some.map(lambda xs: f"(noted(x) for x in [{', '.join(xs)}])"),
    )


objects = st.recursive(scalars, _holders, max_leaves=6)
scenes = st.tuples(objects, objects, objects).map("({0[0]}, {0[1]}, {0[2]})".format)

OPERATORS = "+ - * / // % == != < in is and or".split()  # noqa: SIM905  reads as the table it is
ATTRIBUTES = "x total method looks missing upper keys append pop clear sort update extend count".split()  # noqa: SIM905
FUNCTIONS = "len repr str list sorted sum any all bool next noted tuple reversed max type callable".split()  # noqa: SIM905


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(inner, st.sampled_from(ATTRIBUTES)).map("({0[0]}).{0[1]}".format),
        st.tuples(inner, st.sampled_from(ATTRIBUTES), inner).map("({0[0]}).{0[1]}({0[2]})".format),
        st.tuples(inner, st.sampled_from(ATTRIBUTES)).map("({0[0]}).{0[1]}()".format),
        st.tuples(st.sampled_from(FUNCTIONS), inner).map("{0[0]}({0[1]})".format),
        st.tuples(inner, inner).map("({0[0]})[{0[1]}]".format),
        st.tuples(inner, inner).map("[({0[0]}, y) for y in ({0[1]})]".format),
        st.tuples(inner, inner).map("setattr(({0[0]}), 'x', {0[1]})".format),
        st.tuples(inner, inner, inner).map("({0[0]} if {0[1]} else {0[2]})".format),
        inner.map("f'{{{0}!r}}'".format).filter(lambda text: "\\" not in text and text.count("'") == 2),
        inner.map("print({})".format),
    )


expressions = st.recursive(st.one_of(st.sampled_from("abc"), scalars), _larger, max_leaves=6)


def alike(value: Value | None) -> str:
    """A value without the addresses of objects that the expression itself made."""
    return re.sub("0x[0-9a-f]+", "0x", repr(told(value)))


class Program:
    """The stopped program, for tests without a loop of their own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, scene: Scene) -> None:
        self._loop = loop
        self._scene = scene
        self._way = Snapshot()

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(work, 30))

    def fill(self, objects: str) -> None:
        """Sets the names a, b and c anew."""
        assert self.wait(self._scene.text_of(f"fill({objects!r})")) == "filled"
        self.wait(self._scene.changed())

    def both(self, expression: str) -> tuple[Any, str, Any]:
        """What a snapshot tells, what that has changed, and what really comes of it."""
        case = Case("", expression)
        fact = self.wait(self._way.evaluate(self._scene, case))
        changed = self.wait(self._scene.changed())
        return fact, changed, self.wait(self._scene.real(case))

    def settle(self) -> None:
        self.wait(self._scene.settle(self._way))


@contextlib.contextmanager
def program() -> Any:
    loop = asyncio.new_event_loop()

    @contextlib.asynccontextmanager
    async def scene() -> AsyncGenerator[Scene]:
        async with scene_of([Group("fuzz", SETUP, ())], Path(sys.executable)) as it:
            yield it

    opened = scene()
    try:
        it = Program(loop, loop.run_until_complete(opened.__aenter__()))
        it.settle()
        yield it
    finally:
        loop.run_until_complete(opened.__aexit__(None, None, None))
        loop.close()


def test_a_snapshot_changes_nothing_and_tells_the_real_value() -> None:
    compared = 0

    with program() as it:

        @steady
        @given(objects=scenes, expression=expressions)
        def check(objects: str, expression: str) -> None:
            nonlocal compared
            it.fill(objects)
            fact, changed, real = it.both(expression)
            assert not changed, (objects, expression)
            assert alike(fact.value) == alike(real), (objects, expression, fact)
            compared += real is not None

        check()

    assert compared > 20

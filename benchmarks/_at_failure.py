"""The small programs of at_failure.py: a value decides, an assertion fails by it, and a cleanup changes it.

Neither the value at the raise nor the one after the cleanup stands in a program's text.
"""

from __future__ import annotations

import textwrap

AT_RAISE, AFTERWARDS = 41 * 71, 87 * 91
KINDS = (
    *("finally", "with", "ExitStack", "tearDown", "addCleanup", "yield fixture"),
    *("mock.patch", "@mock.patch", "monkeypatch", "async with", "caller's finally"),
)
ANYWHERE = ("finally", "with", "ExitStack", "mock.patch", "@mock.patch", "async with", "caller's finally")
"""In scripts as in tests."""
OF_CASES = (*ANYWHERE, "tearDown", "addCleanup")
IN_PLACE = ("mock.patch", "@mock.patch", "monkeypatch")
"""These put the value there for a while."""

_HEAD = """\
import asyncio
import contextlib
import sys
import unittest
from unittest import mock


def at_raise():
    return 41 * 71


def afterwards():
    return 87 * 91


class Box:
    def __init__(self, n):
        self.n = n


class Changing:
    def __init__(self, box):
        self.box = box

    def __enter__(self):
        return self.box

    def __exit__(self, *_):
        self.box.n = afterwards()

    async def __aenter__(self):
        return self.box

    async def __aexit__(self, *_):
        self.box.n = afterwards()


box = Box({first}())
"""
_BLOCKS = {
    "finally": "try:\n    FAIL\nfinally:\n    box.n = afterwards()\n",
    "caller's finally": "def check():\n    FAIL\n\ntry:\n    check()\nfinally:\n    box.n = afterwards()\n",
    "with": "with Changing(box):\n    FAIL\n",
    "ExitStack": (
        "with contextlib.ExitStack() as stack:\n    stack.callback(setattr, box, 'n', afterwards())\n    FAIL\n"
    ),
    "mock.patch": "with mock.patch.object(box, 'n', at_raise()):\n    FAIL\n",
}
_ENDS = {
    "here": "work()\n",
    "thread": "import threading\n\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()\n",
    "child": (
        "if sys.argv[1:]:\n    work()\nelse:\n    import subprocess\n\n"
        "    subprocess.run([sys.executable, __file__, 'child'])\n"
    ),
    "held": "import dap_ai\n\ntry:\n    work()\nexcept AssertionError:\n    dap_ai.post_mortem(options=['--json'])\n",
}


def _head(kind: str) -> str:
    return _HEAD.format(first="afterwards" if kind in IN_PLACE else "at_raise")


def _block(kind: str, fail: str, *, is_async: bool) -> str:
    """Statements of a function that fail."""
    if kind == "async with":
        inner = "async with Changing(box):\n    FAIL\n"
        if not is_async:
            inner = f"async def inner():\n{textwrap.indent(inner, '    ')}\nasyncio.run(inner())\n"
        return inner.replace("FAIL", fail)
    return _BLOCKS.get(kind, "FAIL\n").replace("FAIL", fail)


def _function(head: str, kind: str, fail: str, *, is_async: bool = False) -> str:
    decorated = "@mock.patch.object(box, 'n', at_raise())\n" if kind == "@mock.patch" else ""
    keyword = "async def" if is_async else "def"
    block = textwrap.indent(_block(kind, fail, is_async=is_async), "    ")
    return f"{decorated}{keyword} {head}:\n{block}"


def script(kind: str, end: str = "here") -> str:
    """A program that fails by itself; `end`: where, a key of _ENDS."""
    return f"{_head(kind)}\n\n{_function('work()', kind, 'assert box.n == 4')}\n\n{_ENDS[end]}"


def pytest_module(kind: str) -> str:
    """A function for pytest; a test case where the cleanup is one's."""
    if kind in ("tearDown", "addCleanup"):
        return case(kind)
    fixture, arguments, fail = "", "", "assert box.n == 4"
    if kind == "yield fixture":
        fixture = "@pytest.fixture\ndef changed():\n    yield box\n    box.n = afterwards()\n\n\n"
        arguments = "changed"
    elif kind == "monkeypatch":
        arguments, fail = "monkeypatch", "monkeypatch.setattr(box, 'n', at_raise())\nassert box.n == 4"
    test = _function(f"test_it({arguments})", kind, fail)
    return f"import pytest\n\n{_head(kind)}\n\n{fixture}{test}"


def case(kind: str, base: str = "unittest.TestCase", first: str = "") -> str:
    """A test case of `base`; `first`: an import that it wants."""
    is_async = "Asyncio" in base
    keyword = "async def" if is_async else "def"
    methods: list[str] = []
    if kind == "tearDown":
        name = "asyncTearDown" if is_async else "tearDown"
        methods.append(f"{keyword} {name}(self):\n    box.n = afterwards()\n")
    if kind == "addCleanup":
        add = "addAsyncCleanup" if is_async else "addCleanup"
        name = "asyncSetUp" if is_async else "setUp"
        methods += [
            f"{keyword} {name}(self):\n    self.{add}(self.change)\n",
            f"{keyword} change(self):\n    box.n = afterwards()\n",
        ]
    methods.append(_function("test_it(self)", kind, "self.assertEqual(box.n, 4)", is_async=is_async))
    body = textwrap.indent("\n".join(methods), "    ")
    return f"{first}{_head(kind)}\n\nclass Test({base}):\n{body}"

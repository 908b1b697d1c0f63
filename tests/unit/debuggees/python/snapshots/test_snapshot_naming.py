"""Which functions of a loaded module an edit of its file is about, found by their names."""

from __future__ import annotations

from typing import Any

import pytest

from dap_ai.debuggees.python.snapshots.editing.code_edits import CodeEdit
from dap_ai.debuggees.python.snapshots.editing.function_lookup import named

FILE = "/x/shop.py"
SOURCE = """
import functools

kept = {}


def plain(a):
    return a + "plain"


def wrapping(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args)
    return around


class Hiding:
    def __init__(self, function):
        self.function = function


@wrapping
def wrapped(a):
    return a + "wrapped"


@Hiding
def hidden(a):
    return a + "hidden"


def outer(a):
    def inner():
        return a + "inner"
    return inner


class Shop:
    class Till:
        def take(self):
            return "take"

    @property
    def price(self):
        return "get"

    @price.setter
    def price(self, value):
        self.old = "set"

    @staticmethod
    def static():
        return "static"

    @classmethod
    def of_class(cls):
        return "of_class"


for word in ("one", "two"):
    def looped(word=word):
        return "looped"
    kept[word] = looped


def again():
    return "first"


def again():
    return "second"
"""


def loaded(source: str = SOURCE) -> dict[str, Any]:
    names = {"__name__": "shop", "__file__": FILE}
    exec(compile(source, FILE, "exec"), names)  # noqa: S102  as an import does
    return names


def found(word: str, *modules: dict[str, Any], loops: bool = False) -> list[Any]:
    source = SOURCE if loops else SOURCE.replace("for word in", "if word := ")
    return named(CodeEdit(FILE, source, source.replace(f'"{word}"', f'"{word}!"')), list(modules))


@pytest.fixture
def shop() -> dict[str, Any]:
    return loaded(SOURCE.replace("for word in", "if word := "))


@pytest.mark.parametrize("word", ["plain", "wrapped", "take", "get", "set", "static", "of_class", "second"])
def test_the_one_function_that_is_edited_is_found_by_its_name(shop: dict[str, Any], word: str) -> None:
    (function,) = found(word, shop)
    assert word in function.__code__.co_consts


@pytest.mark.parametrize("word", ["hidden", "inner", "first"])
def test_what_names_do_not_tell_is_left_to_the_walk_over_all_objects(shop: dict[str, Any], word: str) -> None:
    assert found(word, shop) == []


def test_a_function_that_a_loop_defined_several_times_is_left_to_the_walk() -> None:
    assert found("plain", loaded(), loops=True) == []


def test_a_file_that_is_loaded_twice_has_its_function_in_both_modules(shop: dict[str, Any]) -> None:
    other = loaded(SOURCE.replace("for word in", "if word := "))
    assert found("plain", shop, other) == [shop["plain"], other["plain"]]


def test_a_module_that_has_lost_the_function_leaves_all_to_the_walk(shop: dict[str, Any]) -> None:
    other = loaded(SOURCE.replace("for word in", "if word := "))
    other["plain"] = shop["plain"]
    assert found("plain", shop, other) == []

"""Finds strings bound to names such as `password`; the proxy then decides which of them are secrets.

Only stored values are read, as everywhere in the inspector. Names match by syllables such as `pw`, which gives many
false positives; the proxy drops those.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import os
import sys
import threading
import time
import types
from collections import deque
from contextvars import ContextVar, copy_context
from itertools import islice
from typing import Any, Iterator

from .path_texts import folder_of
from .scopes import frame_locals
from .stored.frame_strings import named_strings
from .stored.holders import of_thread, stored_parts
from .stored.pandas_frames import is_frame
from .stored.statics import (
    instance_dict,
    is_dunder,
    loaded,
    made_in_c,
    module_namespace,
    module_of,
    names_of,
    namespace,
    slots,
    text_of,
)

_SYLLABLES = (
    "pass", "pwd", "pw", "secret", "token", "key", "auth", "cookie", "credential", "creds", "sess", "sid", "dsn",
    "conn", "url", "csrf", "xsrf", "jwt", "bearer", "otp", "cert", "salt", "pepper", "signature", "mnemonic", "seed",
    "phrase", "pin", "cvv", "psk", "code", "kennwort", "senha", "contrase", "answer", "private", "signing",
)  # fmt: skip
_COLLECTIONS = ("passwords", "passwds", "secrets", "tokens", "keys")
MIN_CHARS = 5
_MAX_CHARS = 16_384
_MAX_TOLD = 300
_MAX_ITEMS = 500
"""Maximum number of items examined per container."""
_MAX_DEPTH = 8
_LIBRARIES = (
    folder_of(os.__file__) + os.sep,
    os.sep + "site-packages" + os.sep,
    os.sep + "dist-packages" + os.sep,
)

_exception_args: Any = BaseException.__dict__["args"].__get__
_clock = time.thread_time  # not wall-clock time: a busy machine must not shorten the search
_copy_context = copy_context
_PLAIN = frozenset(map(id, (int, float, bool, complex, type(None))))
"""Ids of frequent types whose values contain no string."""
_TURN = 32


class SearchBudget:
    """Limits of a search for strings: the number of objects, and seconds of processor time."""

    def __init__(self, objects: int, max_s: float) -> None:
        self.objects = objects
        self.ends = _clock() + max_s


class StoredString:
    """A string and where it is stored: `holder[key]`, if a dict or list holds it; otherwise the holder is None."""

    __slots__ = ("holder", "key", "name", "value")

    def __init__(self, name: str, value: Any, holder: Any, key: Any) -> None:
        self.name, self.value, self.holder, self.key = name, value, holder, key


def secrets_of(scopes: list[Any], budget: SearchBudget) -> list[dict[str, str]]:
    """Returns strings with telltale names, or with a password in a URL, as {name, text} dicts, each once."""
    seen: set[tuple[str, str]] = set()
    for found in strings(scopes, budget):
        text = _text(found.value)
        if MIN_CHARS <= len(text) <= _MAX_CHARS and (is_secret_name(found.name) or ("://" in text and "@" in text)):
            seen.add((found.name, text))
        if len(seen) >= _MAX_TOLD:
            break
    return [{"name": name, "text": text} for name, text in seen]


def is_secret_name(name: str) -> bool:
    """Returns whether a name may belong to a secret, such as `password` or `api_key`."""
    name = name.lower()
    return any(syllable in name for syllable in _SYLLABLES)


def strings(scopes: list[Any], budget: SearchBudget) -> Iterator[StoredString]:
    """Yields the strings reachable from the environment, the arguments, `scopes` (dicts of names), context and threads.

    The search takes turns between names, so that a large value does not use up the budget; per name, near objects come
    first. Objects of libraries come last: a quarter of the budget is reserved for them.
    """
    seen: set[int] = set()
    kept: list[Any] = []  # an id is unique only while its object lives
    search = _Search(budget)
    starts = [_environment(), sys.argv, getattr(sys, "orig_argv", None), *scopes, tuple(_copy_context()), _threads()]
    parts = (part for scope in starts for part in _parts("", scope) if id(type(part[1])) not in _PLAIN)
    ways: list[Any] = [(deque([(*part, 1)]), deque()) for part in parts]
    for late in (False, True):
        busy = ways
        while busy and search.goes_on(late):
            for way in busy:
                if search.goes_on(late):
                    yield from search.some(way, late, seen, kept)
            busy = [way for way in busy if way[late]]


class _Search:
    """A search that takes turns between many names."""

    def __init__(self, budget: SearchBudget) -> None:
        self._budget = budget
        self._least, self._early_ends = budget.objects // 4, budget.ends - (budget.ends - _clock()) / 4
        self._modules: dict[str, bool] = {}

    def goes_on(self, late: bool) -> bool:
        """Whether budget is left. Without `late`, the quarter reserved for library objects does not count."""
        if late:
            return self._budget.objects > 0 and _clock() < self._budget.ends
        return self._budget.objects > self._least and _clock() < self._early_ends

    def some(self, way: Any, late: bool, seen: set[int], kept: list[Any]) -> Iterator[StoredString]:
        """Yields strings among the next objects of one name, and queues the parts of these objects."""
        todo = way[late]
        for _ in range(min(_TURN, len(todo))):
            name, x, holder, key, depth = todo.popleft()
            self._budget.objects -= 1
            if _is_text(x):
                yield StoredString(name, x, holder, key)
            if depth > _MAX_DEPTH or type(x) is str or id(x) in seen:  # a subclass of str may have attributes
                continue
            if not late and self._is_library(x):
                way[True].append((name, x, holder, key, depth))
                continue
            seen.add(id(x))
            kept.append(x)
            todo.extend((*part, depth + 1) for part in _parts(name, x) if id(type(part[1])) not in _PLAIN)

    def _is_library(self, x: Any) -> bool:
        """Whether `x`, or its class, is defined in Python code of a library or of Python itself."""
        cls = x if issubclass(type(x), type) else type(x)
        if made_in_c(cls):
            return False
        name = module_of(cls)
        if name not in self._modules:
            module = sys.modules.get(name)
            file = names_of(module_namespace(module)).get("__file__") if type(module) is types.ModuleType else None
            self._modules[name] = type(file) is str and not is_users(file)
        return self._modules[name]


def _parts(name: str, x: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yields (name, part, holder, key) of each part that an object stores."""
    cls = type(x)
    if issubclass(cls, dict):
        own = name.lower().endswith(_COLLECTIONS)
        for key, part in list(islice(dict.items(x), _MAX_ITEMS)):
            label = _text(key) if _is_text(key) else ""
            yield (name if own and not is_secret_name(label) else label), part, (x if cls is dict else None), key
    elif issubclass(cls, (list, tuple, deque)):
        base = list if issubclass(cls, list) else tuple if issubclass(cls, tuple) else deque
        fields = namespace(cls).get("_fields") if base is tuple else None
        labels = fields if type(fields) is tuple and all(type(field) is str for field in fields) else ()
        for index, part in enumerate(list(islice(base.__iter__(x), _MAX_ITEMS))):
            yield (labels[index] if index < len(labels) else name), part, (x if cls is list else None), index
    elif cls is set or cls is frozenset:
        for part in list(islice(x, _MAX_ITEMS)):
            yield name, part, None, None
    elif cls is types.ModuleType:
        for key, part in _of_module(x):
            yield key, part, None, None
    elif cls is types.FunctionType:
        yield from _of_function(name, x)
    elif cls is types.GeneratorType:
        yield from _of_suspended(x.gi_frame)
    elif cls is types.CoroutineType:
        yield from _of_suspended(x.cr_frame)
    elif cls is types.AsyncGeneratorType:
        yield from _of_suspended(x.ag_frame)
    elif cls is ContextVar:
        yield from _of_context_variable(x)
    elif cls is types.MethodType:
        yield name, x.__self__, None, None
    elif issubclass(cls, type):
        for key, part in () if made_in_c(x) else list(namespace(x).items()):
            if not is_dunder(key):
                yield key, part, None, None
    elif is_frame(x):
        for key, part in named_strings(x, is_secret_name, _MAX_ITEMS):
            yield key, part, None, None
    elif not made_in_c(cls) or issubclass(cls, (BaseException, types.SimpleNamespace)):
        yield from _of_object(name, x)
    yield from stored_parts(name, x)


def _of_object(name: str, x: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    for key, part in slots(x).items():
        yield key, part, None, None
    own = instance_dict(x)
    if type(own) is dict:
        for key, part in names_of(own).items():
            yield key, part, own, key
        yield from of_thread(own)
    if issubclass(type(x), BaseException):
        yield name, _exception_args(x), None, None
    yield name, type(x), None, None


def _of_function(name: str, function: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    code: Any = function.__code__
    if not is_users(code.co_filename):
        return
    defaults = function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    for key, part in zip(names[len(names) - len(defaults) :], defaults):  # noqa: B905  not in 3.8
        yield key, part, None, None
    yield "", function.__kwdefaults__ or {}, None, None
    for key, cell in zip(code.co_freevars, function.__closure__ or ()):  # noqa: B905  the same
        try:
            yield key, cell.cell_contents, None, None
        except ValueError:  # an empty cell
            continue
    for part in code.co_consts:
        if _is_text(part):
            yield name, part, None, None


def _of_suspended(frame: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yields the variables of a suspended generator or coroutine; nothing if it has ended."""
    if frame is not None and is_users(frame.f_code.co_filename):
        for key, part in frame_locals(frame, suspended=True).items():
            yield key, part, None, None


def _of_context_variable(variable: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    try:
        value = variable.get()
    except LookupError:  # not set in this context
        return
    yield variable.name, value, None, None


def _of_module(module: Any) -> list[tuple[str, Any]]:
    """Returns the names in a module of the user's; empty for a library's module."""
    names = names_of(module_namespace(module))
    file = names.get("__file__")
    is_own = type(file) is str and is_users(file)
    return [(key, part) for key, part in names.items() if not is_dunder(key)] if is_own else []


def is_users(file: str) -> bool:
    """Returns whether a file belongs neither to Python nor to an installed package."""
    return not file.startswith("<") and not any(part in file for part in _LIBRARIES)


def _threads() -> Any:
    active = names_of(module_namespace(threading)).get("_active")
    return active if type(active) is dict else None


def _environment() -> Any:
    own: Any = instance_dict(loaded("os", "environ"))
    data = own.get("_data") if type(own) is dict else None
    return data if type(data) is dict else {}


def _is_text(x: Any) -> bool:
    return type(x) is bytes or type(x) is bytearray or issubclass(type(x), str)


def _text(x: Any) -> str:
    if type(x) is bytes or type(x) is bytearray:
        return x[:_MAX_CHARS].decode("utf-8", "replace")
    return text_of(x)

"""Describes dict views, arrays, memoryviews, slices and weak references, by the C code of their exact types."""

# ruff: noqa: ARG001  all texts and all details have one signature
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import gc
import types
from collections import OrderedDict
from itertools import islice
from typing import Any

from .statics import loaded, made_in_c, short_name

_no_names: dict[str, Any] = {}
_ordered: Any = OrderedDict()
DICT_VIEWS: tuple[Any, ...] = tuple(
    type(view) for names in (_no_names, _ordered) for view in (names.keys(), names.values(), names.items())
)


def view_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a dict view as text: `dict_keys(['a', 'b'])`, `dict_items([('a', 1)])`."""
    cls = type(x)
    head = list(islice(cls.__iter__(x), describer.max_items))
    return short_name(cls) + "([" + describer.items(head, cls.__len__(x), depth) + "])"


def view_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns the number of items in a view."""
    return {"length": type(x).__len__(x)}


def proxy_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a mapping proxy as text: `mappingproxy({'a': 1})`; without contents unless it wraps a plain dict."""
    behind = [part for part in gc.get_referents(x) if issubclass(type(part), dict)]
    return "mappingproxy(" + (describer.text(behind[0], depth + 1) if behind else "...") + ")"


def buffer_text(describer: Any, x: Any, depth: int) -> str:
    """Returns an array as text: `array('i', [1, 2, 3])`."""
    size = type(x).__len__(x)
    head = list(islice(type(x).__iter__(x), describer.max_items))
    return "array(" + repr(x.typecode) + ", [" + describer.items(head, size, depth) + "])"


def buffer_details(describer: Any, x: Any) -> dict[str, Any]:
    """Returns the number of items in an array."""
    return {"length": type(x).__len__(x)}


def memory_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a memoryview as text, with its bytes if they are plain: `<memoryview b'abc'... 5 more>`."""
    try:
        if x.format in ("B", "b", "c") and x.c_contiguous:
            shown = x[: describer.max_text].tobytes() if x.ndim == 1 else b""
            size = x.nbytes
        else:
            return "<memoryview of %d bytes, format %s, shape %r>" % (x.nbytes, x.format, x.shape)
    except ValueError:
        return "<memoryview, released>"
    more = "... %d more" % (size - len(shown)) if size > len(shown) else ""
    return "<memoryview " + repr(shown) + more + ">"


def slice_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a slice as text: `slice(1, 2, None)`."""
    return "slice(" + ", ".join(describer.text(part, depth + 1) for part in (x.start, x.stop, x.step)) + ")"


def weak_text(describer: Any, x: Any, depth: int) -> str:
    """Returns a weak reference as text: `<weakref to <Order id=3>>`, `<weakref, dead>`."""
    referent = type(x).__call__(x)
    return "<weakref, dead>" if referent is None else "<weakref to " + describer.text(referent, depth + 1) + ">"


def kinds() -> dict[int, str]:
    """Returns the kinds of the types in this module, by the types' ids."""
    known = {id(cls): "view" for cls in DICT_VIEWS}
    known.update({id(types.MappingProxyType): "proxy", id(memoryview): "memory", id(slice): "slice"})
    for module, name, kind in (("array", "array", "buffer"), ("_weakref", "ReferenceType", "weak")):
        cls = loaded(module, name)
        if issubclass(type(cls), type) and made_in_c(cls):
            known[id(cls)] = kind
    return known


VIEW_TEXTS: dict[str, Any] = {
    "view": view_text,
    "proxy": proxy_text,
    "buffer": buffer_text,
    "memory": memory_text,
    "slice": slice_text,
    "weak": weak_text,
}
VIEW_DETAILS: dict[str, Any] = {
    "view": view_details,
    "proxy": lambda describer, x: {},  # noqa: ARG005  one signature
    "buffer": buffer_details,
    "memory": lambda describer, x: {},  # noqa: ARG005  the same
    "slice": lambda describer, x: {},  # noqa: ARG005  the same
    "weak": lambda describer, x: {},  # noqa: ARG005  the same
}

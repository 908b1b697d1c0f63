"""Overwrites the program's secrets in a copy of its process, so that no expression there can read them.

Call it only in a locked copy: strings are immutable, and a change in place changes every reference.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import ctypes
import sys
from typing import Any

from ..inspector.scopes import frame_locals
from ..inspector.secrets import SearchBudget, is_users, strings
from .isolation.environment import Blocks, blank_environment

_MAX_FRAMES = 60
_MAX_OBJECTS, _MAX_S = 60_000, 0.5
_CODECS = {1: "latin-1", 2: "utf-16-" + sys.byteorder[:1] + "e", 4: "utf-32-" + sys.byteorder[:1] + "e"}


def blank(frame: Any, names: dict[str, Any], hidden: list[dict[str, str]], blocks: Blocks) -> None:
    """Replaces each `secret` by `shown`, of the same length, in all reachable strings.

    The search starts from the frame with its `names`, its callers, the arguments and the environment, including the
    environment of C code (`blocks`, see environment.py). Keys of dicts are unchanged.
    """
    pairs = [(_copied(one["secret"]), one["shown"]) for one in hidden if len(one["secret"]) == len(one["shown"])]
    in_bytes = [(pair, pair[0].encode("utf-8", "replace")) for pair in pairs]
    scopes = [names, *_scopes(frame)]
    for one in list(strings(scopes, SearchBudget(_MAX_OBJECTS, _MAX_S))):
        for secret, shown in _of_those(one.value, pairs, in_bytes):
            _overwrite(one, secret, shown)
    blank_environment(blocks, pairs)


def _of_those(value: Any, pairs: list[tuple[str, str]], in_bytes: list[Any]) -> list[tuple[str, str]]:
    """Returns the pairs whose secret occurs in the value; few do, among thousands of strings and a hundred secrets."""
    if issubclass(type(value), str):
        plain = str.__str__(value)
        return [pair for pair in pairs if pair[0] in plain]
    return [pair for pair, secret in in_bytes if secret in value]


def blanked(text: str, hidden: list[dict[str, str]]) -> str:
    """Returns a source text with its secrets replaced, before it is compiled."""
    for one in hidden:
        text = text.replace(one["secret"], one["shown"])
    return text


def _copied(text: str) -> str:
    """Returns a new string with the same characters, which stays intact when the program's strings are overwritten."""
    return "".join(list(text))


def _scopes(frame: Any) -> list[Any]:
    """Returns the names in the user's frames, and in the modules of these frames."""
    locals_, modules, count = [], {id(frame.f_globals): frame.f_globals}, 0
    while frame is not None and count < _MAX_FRAMES:
        if is_users(frame.f_code.co_filename):
            locals_.append(frame_locals(frame))
            modules[id(frame.f_globals)] = frame.f_globals
            count += 1
        frame = frame.f_back
    return [*locals_, *modules.values()]


def _overwrite(found: Any, secret: str, shown: str) -> None:
    value = found.value
    if type(found.holder) not in (dict, list, type(None)):  # an array: the value is a copy of its item
        as_bytes = type(value) is bytes
        old, new = (secret.encode("utf-8", "replace"), shown.encode()) if as_bytes else (secret, shown)
        if old in value and len(old) == len(new):
            _put(found, value.replace(old, new))
        return
    if issubclass(type(value), str):
        plain = str.__str__(value)
        if secret in plain and not (_may_be_overwritten(value) and _overwrite_text(value, plain, secret, shown)):
            _put(found, plain.replace(secret, shown))
        return
    old, new = secret.encode("utf-8", "replace"), shown.encode("utf-8", "replace")
    if len(old) != len(new):
        return
    if type(value) is bytes:
        _overwrite_bytes(value, old, new)
    else:
        value[:] = value.replace(old, new)


def _put(found: Any, text: Any) -> None:
    """Replaces a string inside the dict, list or array that holds it, because it cannot be overwritten in memory."""
    if found.holder is None:
        return
    try:
        found.holder[found.key] = text
    except ValueError:  # a read-only array
        found.holder.base.setflags(write=True)
        found.holder[found.key] = text
    found.value = text


def _may_be_overwritten(value: Any) -> bool:
    """Returns False for a word that may also be an attribute's name, because the interpreter shares such strings."""
    if type(value) is not str:
        return True  # a subclass's instance has its own characters
    if not value.isidentifier() or any(map(str.isdigit, value)):
        return True
    return sys.intern(_copied(value)) is not value


def _overwrite_text(value: str, plain: str, secret: str, shown: str) -> bool:
    """Overwrites a string's characters in memory; False if they are not found there. `plain`: the string's text."""
    widest = max(plain)
    size = 1 if widest <= "\xff" else 2 if widest <= "\uffff" else 4
    try:
        new = shown.encode(_CODECS[size])
    except UnicodeEncodeError:
        return False
    address, data = _characters(value, widest), plain.encode(_CODECS[size], "surrogatepass")
    if ctypes.string_at(address, len(data)) != data:
        return False
    for place in _places(plain, secret):
        ctypes.memmove(address + size * place, new, len(new))
    if widest > "\x7f":  # it may also store its UTF-8: a length, an address
        ctypes.memset(id(value) + _header("a"), 0, ctypes.sizeof(ctypes.c_ssize_t) + ctypes.sizeof(ctypes.c_void_p))
    return True


def _characters(value: str, widest: str) -> int:
    """Returns the address of a string's characters, behind the object's head or where a subclass's pointer leads."""
    if type(value) is str:
        return id(value) + _header(widest)
    pointer = id(value) + str.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
    return ctypes.c_void_p.from_address(pointer).value or 0


def _header(widest: str) -> int:
    """Returns the number of bytes in a string object before its characters."""
    if widest <= "\x7f":
        return sys.getsizeof("") - 1
    return sys.getsizeof(bytes([0xE9, 0xEA]).decode("latin-1")) - 3  # a new string: it stores only its characters


def _overwrite_bytes(value: bytes, old: bytes, new: bytes) -> None:
    address = id(value) + sys.getsizeof(b"") - 1
    if ctypes.string_at(address, len(value)) == value:
        for place in _places(value, old):
            ctypes.memmove(address + place, new, len(new))


def _places(text: Any, part: Any) -> list[int]:
    """Returns the positions of a part in a text, found before any is overwritten."""
    places: list[int] = []
    at = text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, at + len(part))
    return places

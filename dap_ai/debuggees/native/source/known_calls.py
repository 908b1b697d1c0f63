"""Effects of well-known functions and methods on their arguments and on the object they are called on."""

from __future__ import annotations

from dap_ai.agent.source.parsed import Role

_FREEING = frozenset(["free", "realloc", "g_free", "kfree", "reallocarray"])
_CHANGING = frozenset(
    """push push_back push_front pop pop_back pop_front emplace emplace_back insert erase clear resize assign reset
    release append remove truncate take drain extend retain swap_remove replace""".split()  # noqa: SIM905  as a table
)
"""Methods of standard containers and owning pointers that change the object they are called on."""
_MOVING = frozenset(["std::move", "std::swap", "swap", "std::exchange", "std::forward"])
_FILLS_ITS_FIRST = frozenset(
    "memset memcpy memmove strcpy strncpy strcat strncat sprintf snprintf fgets gets fread".split()  # noqa: SIM905  as a table
)
_FILLED = {**dict.fromkeys(_FILLS_ITS_FIRST, 0), **dict.fromkeys(("read", "recv", "pread"), 1)}
"""Functions of the C library that fill a buffer, with the 0-based index of that argument."""


def role_of_argument(name: str, index: int, language: str) -> Role | None:
    """Return how a call of the function `name` affects its argument at the 0-based `index`, or None if unknown."""
    last = name.rpartition("::")[2]
    if index == 0 and (last in _FREEING or (last == "drop" and language == "rust")):
        return "freed"
    if name in _MOVING:
        return "changed"
    return "address" if _FILLED.get(last) == index else None


def changes_receiver(callee: str) -> bool:
    """Whether a call of `x.f` changes `x`, judged by method names of containers and owning pointers.

    Never true for `x->f`.
    """
    return callee.endswith(tuple(f".{method}" for method in _CHANGING))

"""What may leave: a text of ours, or one that has passed the masker (`agent/masking`). Types only; pyright checks them.

    Safe       text: a literal, put together of literals, or masked. At run time a str
    SafeJson   JSON of such texts
    Raw[T]     a T as it was read from a program; at run time the T itself

Every door takes what is safe: what is sent to a model, shown, or written to a file. No other `str` is let in, and
nothing but the masker makes a Safe of one. What a debugger brings is Raw, and nothing but the masker opens it. So where
a call of the masker is deleted, the program does not type-check (`benchmarks/masking.py --types` tries each).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NewType, TypeVar, cast

T = TypeVar("T")

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import LiteralString

    Safe: TypeAlias = LiteralString
    SafeJson: TypeAlias = "Safe | int | float | list[SafeJson] | dict[Safe, SafeJson] | None"

    class Raw(Generic[T]):
        """Nothing can be done with it but to hand it on."""

        _held: T
else:
    Safe, SafeJson = str, Any

    class Raw:
        """`Raw[T]` is T."""

        def __class_getitem__(cls, held: type[T]) -> type[T]:
            """What msgspec reads and writes."""
            return held


SafeFields = NewType("SafeFields", dict[str, Any])
"""Fields of JSON: a message of a conversation with a model, the body of an event."""


def raw(read: T) -> Raw[T]:
    """What was read from a program, for the masker alone."""
    return cast("Raw[T]", read)


def put(held: object, **texts: Safe | list[Safe]) -> None:
    """Fields of a struct, replaced by what was masked."""
    for name, text in texts.items():
        setattr(held, name, text)


def replaced(held: T, **texts: Safe | list[Safe]) -> T:
    """A copy of a struct with such fields."""
    import msgspec  # noqa: PLC0415  who only masks does without it

    return cast("Callable[..., T]", msgspec.structs.replace)(held, **texts)


def holds_none(text: str, masked: Safe) -> bool:
    """Whether nothing had to be masked in a text."""
    return masked == text


def json_text(value: SafeJson | SafeFields) -> Safe:
    """JSON of texts that are safe."""
    return cast("Safe", json.dumps(value, ensure_ascii=False))


def safe_fields(made: SafeJson) -> SafeFields:
    """An object of such texts."""
    return cast("SafeFields", made)


def as_it_is(text: str) -> Safe:
    """A text that is no program's, or that must be seen as it is: each call says which."""
    return cast("Safe", text)

"""Types of text that may leave the process: dap_ai's own, or masked (`agent/masking`). Checked only by pyright.

    Safe       text: a literal, a combination of literals, or masked. At run time a str
    SafeJson   JSON of such texts
    Raw[T]     a T as read from a program; at run time the T itself

Every function that sends text to a model, shows it or writes it to a file takes Safe, and only the masker turns another
`str` into Safe. A debugger's results are Raw, and only the masker unwraps them. So deleting a call of the masker breaks
type checking (`benchmarks/masking.py --types` tries each).
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
        """An opaque value that can only be passed on."""

        _held: T
else:
    Safe, SafeJson = str, Any

    class Raw:
        """`Raw[T]` is T at run time."""

        def __class_getitem__(cls, held: type[T]) -> type[T]:
            """Return the type that msgspec reads and writes."""
            return held


SafeFields = NewType("SafeFields", dict[str, Any])
"""Fields of a JSON object, which is a message to or from a model, or the body of an event."""


def raw(read: T) -> Raw[T]:
    """Mark a value read from a program as Raw, so that only the masker can use it."""
    return cast("Raw[T]", read)


def put(held: object, **texts: Safe | list[Safe]) -> None:
    """Set fields of a struct to masked texts."""
    for name, text in texts.items():
        setattr(held, name, text)


def replaced(held: T, **texts: Safe | list[Safe]) -> T:
    """Return a copy of a struct in which masked texts replace the given fields."""
    import msgspec  # noqa: PLC0415  not needed for masking alone

    return cast("Callable[..., T]", msgspec.structs.replace)(held, **texts)


def holds_none(text: str, masked: Safe) -> bool:
    """Whether a text contains no secret, since masking left it unchanged."""
    return masked == text


def json_text(value: SafeJson | SafeFields) -> Safe:
    """Return the JSON text of a value that contains only safe texts."""
    return cast("Safe", json.dumps(value, ensure_ascii=False))


def safe_fields(made: SafeJson) -> SafeFields:
    """Mark a JSON object that contains only safe texts as SafeFields."""
    return cast("SafeFields", made)


def as_it_is(text: str) -> Safe:
    """Mark a text as safe without masking it.

    Each caller states why: no program wrote it, or it must be shown unchanged.
    """
    return cast("Safe", text)

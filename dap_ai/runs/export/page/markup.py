"""HTML that is safe by construction: a `str` is text and is escaped, only `Markup` is not, and `tag` alone makes it."""

from __future__ import annotations

from html import escape

from dap_ai.protocol.wire.visible import visible

_VOID = frozenset({"meta", "input", "br"})


class Markup(str):
    """HTML."""

    __slots__ = ()


def tag(name: str, attributes: dict[str, str | bool] | None = None, *children: str) -> Markup:
    """An element. An attribute that is True stands without a value, False or "" is left out; text in it is escaped."""
    told = "".join(_attribute(key, value) for key, value in (attributes or {}).items() if value not in (False, ""))
    if name in _VOID:
        return Markup(f"<{name}{told}>")
    inside = "".join(map(text, children))
    if name == "pre" and inside.startswith("\n"):
        inside = f"\n{inside}"  # a browser leaves the first line end out
    return Markup(f"<{name}{told}>{inside}</{name}>")


def text(value: str) -> Markup:
    """A text with what would be markup, act or hide as escapes; Markup as it is."""
    return value if isinstance(value, Markup) else Markup(escape(visible(value)))


def joined(*parts: str) -> Markup:
    """Parts one after the other."""
    return Markup("".join(map(text, parts)))


def _attribute(name: str, value: str | bool) -> str:
    return f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'

"""Operations on a Frozen (a copy that describes an object): parts, text and Value dict; refuses uncopied parts."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

from typing import Any

from .plain import RefusedOperation, is_scalar
from .statics import is_dunder, text_of

_NOT_COPIED = "it was not copied when the program failed"
_SHAPES = {"list": "[%s]", "tuple": "(%s)", "set": "{%s}", "dict": "{%s}"}


def part_named(x: Any, name: str) -> Any:
    """Returns the attribute `x.name` as stored when `x` was copied."""
    if x.kind not in ("class", "function", "module") and not is_dunder(name) and x.fields and name in x.fields:
        return x.fields[name]
    raise RefusedOperation(_NOT_COPIED)


def part_at(x: Any, index: Any) -> Any:
    """Returns `x[index]`; only the first items of a builtin container were copied."""
    if x.head is not None and x.short == x.kind and is_scalar(index):
        if x.kind == "dict":
            for key, part in x.head:
                if type(key) is type(index) and key == index:
                    return part
        elif type(index) is int and 0 <= index < len(x.head):
            return x.head[index]
    raise RefusedOperation(_NOT_COPIED)


def copy_text(describer: Any, x: Any, depth: int) -> str:
    """Returns one line of text, like the object's own text, as far as the object was copied."""
    if x.kind in ("class", "function", "module"):
        return "<" + x.kind + " " + text_of((x.fields or {}).get("name") or x.short) + ">"
    if x.head is not None and depth <= describer.max_depth:
        return _contents(describer, x, depth)
    if not x.fields or depth > describer.max_depth:
        if x.fields is None or x.fields:
            describer.omit()
        return "<" + x.short + ("" if x.fields == {} else " ...") + ">"
    pieces = (text_of(name) + "=" + describer.text(part, depth + 1) for name, part in x.fields.items())
    return "<" + x.short + " " + describer.joined(pieces, len(x.fields), describer.max_fields, " ") + ">"


def _contents(describer: Any, x: Any, depth: int) -> str:
    if x.kind in ("str", "bytes"):
        describer.omit()
        return describer.text(x.head) + "... %d more" % (x.length - len(x.head))
    if x.kind == "dict":
        pieces = [describer.text(key, depth + 1) + ": " + describer.text(part, depth + 1) for key, part in x.head]
    else:
        pieces = [describer.text(part, depth + 1) for part in x.head]
    total = len(x.head) if x.length is None else x.length
    text = _SHAPES.get(x.kind, "[%s]") % describer.joined(pieces, total, describer.max_items)
    return text if x.short == x.kind else x.short + "(" + text + ")"


def copy_value(describer: Any, x: Any) -> dict[str, Any]:
    """Returns the Value dict of a copied object, without an address."""
    described: dict[str, Any] = {"text": describer.text(x), "type": x.type, "kind": x.kind}
    if x.length is not None:
        described["length"] = x.length
    if x.fields and x.kind not in ("class", "function", "module"):
        described["fields"] = describer.fields(x.fields)
    if x.fields is None and x.head is None:
        described["truncated"] = True
    return described

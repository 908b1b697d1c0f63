"""The structs of modules as TypeScript interfaces: the messages of `ask`, the shape of the run view."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

import msgspec

HEAD = "// Made from dap_ai by scripts/generate_protocol.py. Do not edit.\n"
_PLAIN: dict[type, str] = {
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
    msgspec.inspect.IntType: "number",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.NoneType: "null",
    msgspec.inspect.RawType: "unknown",
    msgspec.inspect.AnyType: "unknown",
}


def interfaces(*modules: ModuleType) -> str:
    """The interfaces of these modules' own structs; of elsewhere they hold only what a client gives back."""
    names = [module.__name__ for module in modules]
    structs = {
        value: None
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct) and _is_shown(value, names)
    }
    return "\n".join([HEAD, *(_interface(struct, names) for struct in structs)])


def _is_shown(struct: type, modules: Sequence[str]) -> bool:
    return struct.__module__ in modules and not struct.__name__.startswith("_")


def _interface(struct: type[msgspec.Struct], modules: Sequence[str]) -> str:
    docs = field_docs(struct)
    lines = [_comment(inspect.getdoc(struct) or "", ""), f"export interface {struct.__name__} {{"]
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    for field in info.fields:
        if text := docs.get(field.name):
            lines.append(_comment(text, "  "))
        is_unset = field.default is msgspec.NODEFAULT and field.default_factory is msgspec.NODEFAULT  # msgspec.UNSET
        absent = not field.required and (info.cls.__struct_config__.omit_defaults or is_unset)
        lines.append(f"  {field.encode_name}{'?' if absent else ''}: {_type(field.type, modules, absent=absent)};")
    return "\n".join([*lines, "}\n"])


def _type(kind: Any, modules: Sequence[str], *, absent: bool = False) -> str:
    match kind:
        case msgspec.inspect.StructType(cls=cls):
            return cls.__name__ if _is_shown(cls, modules) else "unknown"
        case msgspec.inspect.ListType(item_type=item):
            inner = _type(item, modules)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case msgspec.inspect.DictType(value_type=value):
            return f"Record<string, {_type(value, modules)}>"
        case msgspec.inspect.TupleType(item_types=items):
            return f"[{', '.join(_type(item, modules) for item in items)}]"
        case msgspec.inspect.LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in sorted(values))
        case msgspec.inspect.UnionType(types=types):
            # A null is never sent for what may be absent.
            kept = [t for t in types if not (absent and isinstance(t, msgspec.inspect.NoneType))]
            return " | ".join(_type(t, modules) for t in kept)
        case _:
            return _PLAIN[type(kind)]


def _comment(text: str, indent: str) -> str:
    lines = textwrap.dedent(text).strip().splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"])


def field_docs(struct: type) -> dict[str, str]:
    """What stands in quotes below the fields of a struct, by name."""
    body = ast.parse(textwrap.dedent(inspect.getsource(struct))).body[0]
    assert isinstance(body, ast.ClassDef)
    return dict(_documented(body.body))


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, after in pairwise(body):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            yield statement.target.id, inspect.cleandoc(after.value.value)

"""Types to which a C or C++ expression may be cast: numbers and pointers, because such casts call no code."""

from __future__ import annotations

from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax
from dap_ai.debuggees.native.source.shapes import IDENTIFIER

NUMBERS = frozenset(
    """size_t ssize_t ptrdiff_t intptr_t uintptr_t intmax_t uintmax_t off_t time_t pid_t uid_t gid_t mode_t wchar_t
    char8_t char16_t char32_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uint uchar ushort
    ulong u8 u16 u32 u64 s8 s16 s32 s64 i8 i16 i32 i64 f32 f64 byte clock_t socklen_t __int128""".split()  # noqa: SIM905  as a table
)
"""Names of well-known typedefs of numbers."""
_WORDS = frozenset("signed unsigned short long int char double float bool _Bool".split())  # noqa: SIM905  as above
_MAX_STARS = 8


def cast_type(source: ParsedSource, kind: Syntax) -> str | None:
    """Return a cast's target type in normal spacing, or None if the type is neither a number nor a pointer."""
    if kind.type in ("primitive_type", "sized_type_specifier"):
        return _base(source, kind, pointer=False)
    qualifiers: list[str] = []
    base: Syntax | None = None
    stars = 0
    for child in kind.named_children:
        if child.type == "type_qualifier" and source.text(child) in ("const", "volatile"):
            qualifiers.append(source.text(child))
        elif child.type == "abstract_pointer_declarator":
            stars = _stars(child)
            if not stars:
                return None
        elif base is None:
            base = child
        else:
            return None
    text = _base(source, base, pointer=stars > 0) if base else None
    if text is None:
        return None
    return " ".join([*qualifiers, text]) + (" " + "*" * stars if stars else "")


def _stars(node: Syntax) -> int:
    """Return the number of pointer levels of a type; 0 if the type contains more than pointers, such as an array."""
    count, inner = 0, [node]
    while inner:
        count += 1
        children = inner[0].named_children
        inner = [child for child in children if child.type == "abstract_pointer_declarator"]
        if any(child.type != "type_qualifier" and child not in inner for child in children) or count > _MAX_STARS:
            return 0
    return count


def _base(source: ParsedSource, node: Syntax, *, pointer: bool) -> str | None:
    text = " ".join(source.text(node).split())
    if node.type == "primitive_type":
        return text if IDENTIFIER.fullmatch(text) and (pointer or text != "void") else None
    if node.type == "sized_type_specifier":
        return text if set(text.split()) <= _WORDS else None
    if node.type in ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"):
        word, _, rest = text.partition(" ")
        plain = IDENTIFIER.fullmatch(rest) is not None and (pointer or word == "enum")
        return text if plain else None
    if node.type in ("type_identifier", "qualified_identifier"):
        text = text.replace(" ", "")
        plain = all(IDENTIFIER.fullmatch(part) for part in text.split("::"))
        return text if plain and (pointer or text.removeprefix("std::") in NUMBERS) else None
    return None

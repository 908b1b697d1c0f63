"""Parses C, C++ and Rust type names as lldb-dap and gdb write them: kinds, widths, lengths, element types."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


class Scalar(NamedTuple):
    """A number type. If `bits` is 0, the width is unknown (an unresolved typedef), and arithmetic does not wrap."""

    name: str
    kind: Literal["bool", "int", "char", "float"]
    bits: int
    signed: bool


_C_INTEGERS = {"short": 16, "int": 32, "long": 64, "long long": 64, "__int128": 128}
_SPELLINGS = {"short int": "short", "long int": "long", "long long int": "long long", "signed": "int"}
_NAMED = {
    **dict.fromkeys(("ssize_t", "ptrdiff_t", "intptr_t", "time_t", "off_t", "intmax_t", "isize"), (64, True)),
    **dict.fromkeys(("size_t", "uintptr_t", "uintmax_t", "usize"), (64, False)),
    "pid_t": (32, True),
}
_CHARACTERS = {"char": 8, "wchar_t": 32, "char8_t": 8, "char16_t": 16, "char32_t": 32}
_FLOATS = {"float": 32, "double": 64, "long double": 128, "f32": 32, "f64": 64}
_SIZED = re.compile(r"(?:std::)?(u?)int(?:_fast|_least)?(8|16|32|64)_t")
_RUST_SIZED = re.compile(r"([iu])(8|16|32|64|128)")
_QUALIFIER = re.compile(r"\b(?:const|volatile|struct|class|enum|union|mut)\b(?!::)")
_ARRAY = re.compile(r"^(?P<element>[^\[\]]*?)\s*\[(?P<length>\d+)\](?P<rest>(?:\[\d+\])*)$")
_ARRAY_POINTER = re.compile(r"^(?P<element>.+?) ?\((?P<mark>\*|&)[^()]*\)(?P<rest>(?:\[\d+\])+)$")
_FUNCTION_POINTER = re.compile(r"\(\*.*?\)\s*\(")
_STANDARD_ARRAY = re.compile(r"std::(?:__\w+::)?array<.*, (\d+)(?:[uU]?[lL]*)>$")
_RUST_ARRAY = re.compile(r"^\[(?P<element>.+); (?P<length>\d+)\]$")
_RUST_TEXT = re.compile(
    r"(?:&(?:mut )?str|alloc::string::String|std::path::PathBuf|std::ffi::os_str::OsString)(?: \*)?"
)
_RUST_POINTER = re.compile(r"^(?:&(?:'\w+ )?|\*)(?:(?:const|mut)\s+)?(?P<element>.+)$")
_STANDARD = re.compile(
    r"std::(?:__\w+::|pmr::)*(?P<cpp>[a-z]\w*)(?:<.*>)?"
    r"|(?P<rust>(?:alloc|core|std)::(?:(?:vec|string|boxed|rc|sync|option|collections|hash|btree|map|set|\w+_\w+)::)+"
    r"|hashbrown::(?:map|set)::)(?P<name>[A-Z]\w*)(?:<.*>)?"
)
"""Matches types in the standard libraries' own namespaces. `std::mine::vector` belongs to the program."""
_CONTAINERS = {
    "list": "vector deque list forward_list array span initializer_list Vec VecDeque LinkedList BinaryHeap stack queue",
    "dict": "map unordered_map multimap unordered_multimap HashMap BTreeMap",
    "set": "set unordered_set multiset unordered_multiset HashSet BTreeSet",
    "str": "string basic_string string_view basic_string_view wstring u16string u32string String",
    "optional": "optional Option",
    "smart": "unique_ptr shared_ptr weak_ptr Box Rc Arc Weak",
}
_KINDS = {name: kind for kind, names in _CONTAINERS.items() for name in names.split()}


def plain(text: str) -> str:
    """Return the type without qualifiers such as `const` and `struct`, and with normalised spaces."""
    if text.startswith(("&", "*")):
        return text.strip()
    return " ".join(_QUALIFIER.sub(" ", text).split())


def scalar_of(text: str) -> Scalar | None:
    """Return the number type of that name, or None if the name is not a known number type."""
    name = plain(text)
    if name in ("bool", "_Bool"):
        return Scalar(name, "bool", 8, False)
    if name in _FLOATS:
        return Scalar(name, "float", _FLOATS[name], True)
    if name in _CHARACTERS:
        return Scalar(name, "char", _CHARACTERS[name], name in ("char", "wchar_t"))
    bare = name.removeprefix("std::")
    if bare in _NAMED:
        return Scalar(name, "int", *_NAMED[bare])
    if found := _SIZED.fullmatch(name):
        return Scalar(name, "int", int(found[2]), not found[1])
    if found := _RUST_SIZED.fullmatch(name):
        return Scalar(name, "int", int(found[2]), found[1] == "i")
    return _worded(name)


def _worded(name: str) -> Scalar | None:
    """Parse a number type of several words, such as `unsigned long int`, `long unsigned int` or `signed char`."""
    words = name.split()
    unsigned = "unsigned" in words
    rest = " ".join(w for w in words if w not in ("unsigned", "signed"))
    rest = _SPELLINGS.get(rest, rest)
    if rest == "char":
        return Scalar(name, "int", 8, not unsigned)
    bits = 32 if not rest and words else _C_INTEGERS.get(rest, 0)
    return Scalar(name, "int", bits, not unsigned) if bits else None


class Array(NamedTuple):
    """An array type: `int[3][4]` has the element `int[4]`."""

    element: str
    length: int


def array_of(text: str) -> Array | None:
    """Parse an array type. Return None if the type is not an array."""
    name = plain(text)
    if found := _RUST_ARRAY.match(name):
        return Array(found["element"], int(found["length"]))
    if (found := _ARRAY.match(name)) and not found["element"].endswith(")"):
        return Array(found["element"] + found["rest"], int(found["length"]))
    return None


def fixed_length(text: str) -> int | None:
    """Return the number of elements that the type fixes, as in `int[3]` or `std::array<int, 3>`; None if it varies."""
    array = array_of(text)
    found = _STANDARD_ARRAY.match(plain(text))
    return array.length if array else int(found[1]) if found else None


def pointee(text: str) -> str | None:
    """Return the type that a pointer or reference type points to. Return None for any other type."""
    name = plain(text)
    if is_function_pointer(name):
        return None
    if found := _ARRAY_POINTER.match(name):
        return found["element"] + found["rest"]
    if re.search(r"\[\d+\]$", name):  # an array, also lldb's `&str[2]`
        return None
    if name.endswith("*"):  # also lldb's pointer to a Rust type: `&str *`
        return name[:-1].rstrip()
    if name.startswith(("&", "*")):
        found = _RUST_POINTER.match(name)
        element = found["element"] if found else "str"
        slice_ = element.startswith("[") and not _RUST_ARRAY.match(element)
        return None if element == "str" or slice_ or element.startswith("dyn ") else element
    return name.rstrip("&").rstrip() if name.endswith("&") else None


def is_reference(text: str) -> bool:
    """Whether the type is a C++ reference, which stands for the value it refers to."""
    name = plain(text)
    return name.endswith("&") or bool((found := _ARRAY_POINTER.match(name)) and found["mark"] == "&")


def is_function_pointer(text: str) -> bool:
    """Whether the type is a function pointer, such as `int (*)(int)`."""
    return bool(_FUNCTION_POINTER.search(text)) or text.startswith(("fn(", "unsafe fn(", "extern "))


def is_text(element: str | None) -> bool:
    """Whether a debugger shows a pointer to this type, or an array of this type, as a string."""
    return plain(element or "") in ("char", "wchar_t", "char8_t", "char16_t", "char32_t")


def is_wide(text: str) -> bool:
    """Whether a string of this type has characters wider than one byte."""
    return bool(re.search(r"\b(?:wchar_t|char16_t|char32_t|wstring|u16string|u32string)\b", text))


def is_rust_text(text: str) -> bool:
    """Whether the type is a Rust string or a pointer to a Rust string."""
    return bool(_RUST_TEXT.fullmatch(text))


def is_byte_text(text: str) -> bool:
    """Whether the type is Rust's `Box<str>`, which stores an address and a length."""
    return bool(re.match(r"alloc::boxed::Box<str\b", text))


def kind_of(text: str) -> str:
    """Return a Value.kind by the type alone. Empty if only the value can decide between enum, number and struct."""
    name = plain(text)
    if is_function_pointer(name):
        return "function"
    if name in ("&str", "&mut str", "*const str"):
        return "str"
    if name.startswith(("&[", "&mut [")) and not name.endswith("*") and pointee(name) is None:
        return "list"
    element = pointee(name)
    if element is not None:
        return "reference" if is_reference(name) else "str" if is_text(element) else "pointer"
    if array := array_of(name):
        return "str" if is_text(array.element) else "array"
    scalar = scalar_of(name)
    return scalar.kind if scalar else "none" if name in ("void", "()") else _standard(name)


def _standard(name: str) -> str:
    found = _STANDARD.fullmatch(name)
    if not found or not _is_one(name):
        return ""  # not the container itself: `std::vector<int>::iterator`
    return _KINDS.get(found["cpp"] or found["name"], "")


def _is_one(name: str) -> bool:
    """Whether the type's first `<` is closed by its last `>`."""
    depth = 0
    for at, character in enumerate(name):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == ">" and not depth and name[at - 1] != "-":
            return at == len(name) - 1
    return True


def is_of_rusts_library(text: str) -> bool:
    """Whether the type's name is in Rust's library, such as `alloc::rc::Rc<T>`.

    In C++ such a class is the program's own.
    """
    found = _STANDARD.fullmatch(plain(text))
    return bool(found and found["rust"])


def is_plain(text: str) -> bool:
    """Whether the type is a number, a pointer or a library type.

    False for unknown types and the program's own types.
    """
    kind, array = kind_of(text), array_of(text)
    if kind == "reference":
        return is_plain(pointee(text) or "")
    return is_plain(array.element) if kind == "array" and array else bool(kind)


_CAST_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?: |::)[A-Za-z_][A-Za-z0-9_]*)*")


def cast_type(text: str) -> Scalar | str | None:
    """Parse the target type of a cast: a number type, or a pointer type in normal spacing.

    Returns None for any other type, because such a cast may call code of the program.
    """
    name = plain(text)
    scalar = scalar_of(name)
    if scalar:
        return scalar
    bare = name.rstrip("* ")
    stars = name[len(bare) :].count("*")
    return f"{bare} {'*' * stars}" if stars and len(name) <= 200 and _CAST_NAME.fullmatch(bare) else None

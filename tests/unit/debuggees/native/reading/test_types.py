"""Type texts, as lldb-dap and gdb write them."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.native.reading.types import (
    Array,
    Scalar,
    array_of,
    cast_type,
    fixed_length,
    kind_of,
    pointee,
    scalar_of,
)


@pytest.mark.parametrize(
    ("text", "bits", "signed"),
    [
        ("int", 32, True), ("unsigned int", 32, False), ("unsigned", 32, False), ("long unsigned int", 64, False),
        ("const long long", 64, True), ("short int", 16, True), ("uint8_t", 8, False), ("std::int64_t", 64, True),
        ("size_t", 64, False), ("u128", 128, False), ("isize", 64, True), ("signed char", 8, True), ("volatile int", 32, True),
    ],
)  # fmt: skip
def test_whole_numbers_have_width_and_sign(text: str, bits: int, signed: bool):
    scalar = scalar_of(text)
    assert scalar and (scalar.kind, scalar.bits, scalar.signed) == ("int", bits, signed)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Node *", "pointer"), ("Node &", "reference"), ("char *", "str"), ("const char *const", "str"), ("char[16]", "str"),
        ("int [10]", "array"), ("Node *[3]", "array"), ("[u8; 3]", "array"), ("int (*)(int)", "function"),
        ("std::vector<int, std::allocator<int> >", "list"), ("alloc::vec::Vec<int, alloc::alloc::Global>", "list"),
        ("std::map<std::basic_string<char>, int>", "dict"), ("std::collections::hash::set::HashSet<i32>", "set"),
        ("std::string", "str"), ("&str", "str"), ("&[i32]", "list"), ("&mut r::Cart", "pointer"), ("*const u8", "pointer"),
        ("std::optional<int>", "optional"), ("std::unique_ptr<Node>", "smart"), ("alloc::rc::Rc<i32>", "smart"),
        ("std::vector<int> *", "pointer"), ("my::vector<int>", ""), ("Node", ""), ("bool", "bool"), ("f32", "float"),
        ("int (*)[3]", "pointer"), ("const char (&)[6]", "reference"), ("*mut [u8; 3]", "pointer"), ("&dyn Speak", ""),
        ("std::vector<int>::iterator", ""), ("int (*[3])(int)", "function"), ("&str[2]", "array"), ("std::u16string", "str"),
    ],
)  # fmt: skip
def test_the_type_tells_the_kind(text: str, kind: str):
    assert kind_of(text) == kind


def test_arrays_of_arrays_have_their_first_dimension_outermost():
    assert array_of("double [3][4]") == Array("double[4]", 3)


def test_the_length_that_all_values_of_a_type_have_is_told():
    assert [fixed_length(t) for t in ("char[80]", "std::array<int, 3>", "std::vector<int>")] == [80, 3, None]


def test_the_type_behind_a_pointer_is_found():
    assert [pointee(t) for t in ("int **", "const Node *", "&mut Cart", "int")] == ["int *", "Node", "Cart", None]
    assert [pointee(t) for t in ("int (*)[3]", "&str", "*mut [u8; 3]")] == ["int[3]", None, "[u8; 3]"]
    assert [pointee(t) for t in ("&str *", "&[u8] *", "*mut *const i32")] == ["&str", "&[u8]", "*const i32"]


@pytest.mark.parametrize(
    "text", ["Money", "struct Money", "decltype(f())", "int(*)(int)", "int[f()]", "int; x", "", "$x *", "f() *"]
)
def test_a_cast_to_anything_but_a_number_or_a_pointer_has_no_type(text: str):
    assert cast_type(text) is None


def test_casts_to_numbers_and_pointers_have_a_type():
    assert isinstance(cast_type("unsigned long"), Scalar)
    assert cast_type("struct Node*") == "Node *"

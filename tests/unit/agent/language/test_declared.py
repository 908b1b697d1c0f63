"""Where C, C++ and Rust text defines a name, and how far a definition reaches: no language server, no compiler."""

from __future__ import annotations

import pytest

from dap_ai.agent.language.declared import defined_in, extent, holder, last_part
from dap_ai.agent.source.source_file import SourceFile

SHOP = """\
#define LIMIT(x) \\
    ((x) * 2)
#define PLAIN 3
struct order;
typedef struct order {
    int price;
    struct order *next;  /* } */
} order_t;
enum colour { RED, GREEN };
int total(const struct order *first);
static const char *names[] = {"}", "b"};

static int
sum(int a,
    int b)
{
    if (a) {
        return '}' + b;
    }
    return total(0);
}
int counter = 0;
typedef int (*visit)(int);
typedef struct { int x; } point;
"""

STACK = """\
#include <vector>
namespace shop {
using Items = std::vector<int>;
template <class T>
class Stack {
public:
  void push(T v);
  int size() const { return (int)items.size(); }
private:
  std::vector<T> items;
};
}
template <class T>
void shop::Stack<T>::push(T v) { items.push_back(v); }
"""

RUST = """\
use shop::Order;
pub struct Order<'a> {
    name: &'a str,
}
impl<'a> Order<'a> {
    pub fn price(&self) -> u32 { '}' as u32 }
}
macro_rules! twice { ($x:expr) => { $x * 2 } }
const LIMIT: usize = 3;
"""


def c(text: str = SHOP) -> SourceFile:
    return SourceFile("shop.c", text)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (1, (1, 2, True)),
        (3, (3, 3, True)),
        (5, (5, 8, True)),
        (9, (9, 9, True)),
        (10, (10, 10, False)),
        (14, (13, 21, True)),
        (22, (22, 22, False)),
    ],
)
def test_what_begins_on_a_line_is_whole(line: int, found: tuple[int, int, bool]):
    assert extent(c(), line) == found


def test_braces_in_strings_and_characters_end_nothing():
    assert extent(c(), 11)[:2] == (11, 11)


def test_a_template_begins_with_its_parameters():
    assert extent(SourceFile("stack.h", STACK), 14) == (13, 14, True)


def test_text_that_never_ends_gives_its_own_line():
    assert extent(c("int f(void) {\n  return 1;\n"), 1) == (1, 1, False)


def test_a_lifetime_is_no_character():
    assert extent(SourceFile("shop.rs", RUST), 5) == (5, 7, True)


def test_a_member_is_held_by_its_struct():
    assert holder(c(), 6) == (5, 8)
    assert holder(c(), 18) is None


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("LIMIT", [1]),
        ("PLAIN", [3]),
        ("order", [5]),
        ("order_t", [5]),
        ("colour", [9]),
        ("counter", [22]),
        ("visit", [23]),
        ("point", [24]),
        ("names", [11]),
        ("unknown", []),
    ],
)
def test_a_name_of_c_is_found_where_it_is_defined(name: str, lines: list[int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(SourceFile, "unit", None)  # functions are the parser's
    assert defined_in(c(), name) == lines


def test_a_class_and_an_alias_are_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(SourceFile, "unit", None)
    source = SourceFile("stack.h", STACK)
    assert [defined_in(source, name) for name in ("Stack", "shop::Stack", "Items")] == [[5], [5], [3]]


def test_names_of_rust_are_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(SourceFile, "unit", None)
    source = SourceFile("shop.rs", RUST)
    assert [defined_in(source, name) for name in ("Order", "twice", "LIMIT")] == [[2], [8], [9]]


def test_a_qualified_function_comes_before_others_of_its_name():
    text = "void A::push() {}\nvoid B::push() {}\nvoid push() {}\n"
    source = SourceFile("a.cpp", text)
    assert defined_in(source, "B::push") == [2]
    assert defined_in(source, "push") == [1, 2, 3]


def test_the_last_part_of_a_symbol():
    assert [last_part(each) for each in ("a->b", "shop::Stack::push", "x.y", "z")] == ["b", "push", "y", "z"]


@pytest.mark.parametrize("text", ["/* " * 200_000, '"' + '\\"' * 200_000, 'R"( ' * 200_000], ids=["/*", '"', 'R"('])
def test_what_never_ends_is_looked_for_once(text: str):
    assert extent(SourceFile("/x/a.cpp", "int x\n" + text), 1) == (1, 1, False)

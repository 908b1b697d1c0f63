"""Native programs: what a class computes by an operator of its own is refused, not read past it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.syntax import node_of
from dap_ai.protocol.contracts.inspection import ExpressionResult
from tests.integration import native
from tests.integration.native_session import ADAPTERS, Session, marked, stopped

pytestmark = pytest.mark.anyio

CLASSES = ("handle", "derived", "reference", "alias", "owner", "pointer", "mine", "unique", "counted", "shared", "(*to)",
           "handles[0]", "several[1]", "(*held)", "(*inside)")  # fmt: skip
OVERLOADED = [
    *(f"{name}->value" for name in CLASSES),
    *(f"*{name}" for name in CLASSES),
    *("handles->operator", "held->value->value", "inside->value->value"),
    *(f"{name}[0]" for name in ("handle", "derived", "alias", "pointer", "row", "line", "list", "numbers")),
    *(
        "handle + 1",
        "(int)handle",
        "(handle, 1)",
        "!handle",
        "handle ? 1 : 2",
        "answers[handle]",
        "-derived",
        "handle == 42",
    ),
    *("&handle", "&derived", "&alias", "&reference", "&handles[0]", "&several[1]", "&*to"),
]
"""Each of these gives 42, or something made of it, in C++."""
READ = {
    "plain->value": "7", "(*plain).value": "7", "(*twice)->value": "7", "items->value": "7", "kept->value": "7", "some->value": "7", "(*some).value": "7", "handle.value": "1",
    "to->value": "1", "held->value": "1", "inside->value": "1", "several[1].value": "1", "derived.own": "1", "derived.value": "1",
    "reference.value": "1", "handle.items[0]": "1", "&plain == twice": "true", "&answers[1] - &answers[0]": "1",
    "&handle.value == &to->value": "true",
}  # fmt: skip

PLAIN = """\
struct Thread {
    int value;
    int thread() { return value; }
    int operator&(int mask) { return value & mask; }
};
int main() {
    Thread thread{7}, *other = &thread;
    return thread.thread() + (thread & 3) + other->value; // @bp stop
}
"""
RUST = """\
use std::ops::Deref;
struct Item { id: i32, value: i32 }
struct Handle { value: i32, held: Item }
impl Deref for Handle {
    type Target = Item;
    fn deref(&self) -> &Item { &self.held }
}
fn main() {
    let handle = Handle { value: 1, held: Item { id: 42, value: 42 } };
    let boxed = Box::new(Item { id: 7, value: 7 });
    let number = &5;
    println!("{}", handle.id + handle.value + (*handle).value + boxed.value + boxed.id + *number); // @bp stop
}
"""


async def answered(session: Session, text: str) -> ExpressionResult:
    try:
        return (await session.facts(node_of(text, "cpp")))[0]
    except SyntaxRefused as error:
        return ExpressionResult(error="refused", text=str(error))


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_what_a_class_computes_by_its_operators_is_refused(adapter: str, tmp_path: Path):
    source = native.SOURCES / "operators.cpp"
    async with stopped(adapter, native.build(source, tmp_path), source, marked(source, "stop")) as session:
        facts = {text: await answered(session, text) for text in OVERLOADED}
        read = {text: await answered(session, text) for text in READ}

    assert {text: fact.value.text for text, fact in facts.items() if fact.value} == {}
    assert {text: fact.text for text, fact in facts.items() if fact.error != "refused"} == {}
    assert {text: fact.value.text if fact.value else fact.text for text, fact in read.items()} == READ


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_where_no_class_overloads_it_an_address_is_told(adapter: str, tmp_path: Path):
    (source := tmp_path / "plain.cpp").write_text(PLAIN, encoding="utf-8")
    async with stopped(adapter, native.build(source, tmp_path), source, marked(source, "stop")) as session:
        fact = (await session.facts(node_of("&thread == other", "cpp")))[0]

    assert fact.value and fact.value.text == "true"


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_rusts_deref_of_the_programs_own_is_not_read_past(adapter: str, tmp_path: Path):
    (source := tmp_path / "deref.rs").write_text(RUST, encoding="utf-8")
    async with stopped(adapter, native.build(source, tmp_path), source, marked(source, "stop")) as session:
        asked = ("*handle", "handle.id", "*boxed", "boxed.value", "handle.value", "*number")
        facts = dict(zip(asked, await session.facts(*(node_of(text, "rust") for text in asked)), strict=True))

    assert facts["*handle"].error == "refused" and facts["handle.id"].error == "missing"
    shown = [facts[text].value for text in ("boxed.value", "handle.value", "*number")]
    assert [value and value.text for value in shown] == ["7", "1", "5"]
    assert facts["*boxed"].value


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_refusal_names_the_operator(adapter: str, tmp_path: Path):
    source = native.SOURCES / "operators.cpp"
    async with stopped(adapter, native.build(source, tmp_path), source, marked(source, "stop")) as session:
        for text, operator in (("mine->value", "->"), ("*mine", "*"), ("row[0]", "[]"), ("&handle", "&")):
            assert f"would call operator{operator} of" in (await answered(session, text)).text

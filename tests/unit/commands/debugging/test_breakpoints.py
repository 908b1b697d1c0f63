"""The table of breakpoints."""

from __future__ import annotations

from dap_ai.commands.debugging.prompt_breakpoints import PromptBreakpoints, answered, arguments


def test_numbers_begin_at_one_and_are_never_used_twice():
    table = PromptBreakpoints()
    first = table.add(file="/a/shop.py", line=3)
    table.remove([first])
    assert table.add(file="/a/shop.py", line=4).number == 2


def test_the_adapters_arguments_have_what_is_enabled_of_one_file():
    table = PromptBreakpoints()
    table.add(file="/a/shop.py", line=3, condition="x > 1")
    table.add(file="/a/shop.py", line=5).enabled = False
    table.add(file="/a/other.py", line=7)
    table.add(name="total")
    assert arguments(table.of_file("/a/shop.py")) == [{"line": 3, "condition": "x > 1"}]
    assert arguments(table.of_functions()) == [{"name": "total"}]


def test_what_the_adapter_says_is_kept():
    table = PromptBreakpoints()
    one, two = table.add(file="/a/shop.py", line=3), table.add(file="/a/shop.py", line=99)
    answered(
        [one, two], [{"id": 5, "verified": True, "line": 4}, {"id": 6, "verified": False, "message": "no code\nmore"}]
    )
    assert (one.id, one.line, one.message) == (5, 4, "")
    assert (two.id, two.message) == (6, "no code")


def test_a_stop_is_at_those_of_its_ids_else_at_those_of_its_place():
    table = PromptBreakpoints()
    one, two = table.add(file="/a/shop.py", line=3, id=1), table.add(name="total", id=2)
    assert table.hit([2], "/a/shop.py", 3, "main") == [two]
    assert table.hit([], "/a/shop.py", 3, "main") == [one]
    assert table.hit([], "/a/shop.py", 9, "total") == [two]
    one.enabled = False
    assert table.hit([], "/a/shop.py", 3, "main") == []


def test_one_of_a_commands_own_is_not_listed_and_takes_no_number():
    table = PromptBreakpoints()
    table.add(file="/a/shop.py", line=3, silent=True)
    assert list(table) == []
    assert table.add(name="f").number == 1


def test_numbers_are_found_and_others_are_named():
    table = PromptBreakpoints()
    one = table.add(name="f")
    assert table.numbered("1, 7 x") == ([one], ["7", "x"])


def test_a_row_says_all_that_is_special():
    table = PromptBreakpoints()
    one = table.add(name="total", condition="n > 3", once=True, enabled=False, passes=2)
    one.hits = 1
    assert one.listing_line() == "1  in total  if n > 3  once  disabled  passed 2 more times  hit 1 time"

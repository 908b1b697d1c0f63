"""How values are cut: it is seen where two of them differ, and said where that is not known."""

from __future__ import annotations

from dap_ai.agent.case.value_texts import cut_apart, shared


def test_long_texts_are_cut_so_that_their_difference_is_seen():
    first, second = cut_apart("'" + "a" * 100 + "xyz'", "'" + "a" * 100 + "uvw'", 30)
    assert first == "...aaaaaaaaaaaaxyz'"
    assert second == "...aaaaaaaaaaaauvw'"


def test_what_differs_at_the_beginning_is_shown_from_there():
    assert cut_apart("[1, 2]", "[1, 3]", 30) == ("[1, 2]", "[1, 3]")
    first, second = cut_apart("b" * 60, "c" * 60, 30)
    assert first.startswith("bbb")
    assert second.startswith("ccc")


def test_texts_that_were_cut_before_they_differ_share_their_beginning():
    assert shared("'# one\\n'... 590 more", "'# one\\n# two'") == "'# one\\n"
    assert shared("'# one...+90 chars", "'# one and more...+9 chars") == "'# one"


def test_whole_texts_are_seen_to_differ_also_where_one_begins_with_the_other():
    assert shared("1", "12") == ""
    assert shared("'a'", "'b'") == ""
    assert shared("'# one\\n'... 590 more", "'# two'") == ""

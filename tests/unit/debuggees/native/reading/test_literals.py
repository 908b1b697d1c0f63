"""String literals as the debuggers write them."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.native.reading.adapter_literals import clear_of_lldb, codes, is_cut, joined, spelled
from dap_ai.debuggees.native.reading.adapter_variables import AdapterVariable
from dap_ai.debuggees.native.reading.variable_kinds import codes_of, string_of


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('"abc"', '"abc"'),
        ('0x4010 "abc"...', '"abc"'),
        ('L"wide"', '"wide"'),
        ("'q' <repeats 5 times>", '"qqqqq"'),
        (r""""ab", 'c' <repeats 3 times>, "de" """, '"abcccde"'),
        (r""""ab", '\000' <repeats 77 times>""", '"ab"'),
        (r"'\000' <repeats 79 times>", '""'),
        (r'"ab", <incomplete sequence \316>', r'"ab\316"'),
        ("'x'", ""),
        ("12", ""),
    ],
)
def test_the_pieces_that_gdb_writes_are_one_literal(text: str, literal: str):
    assert joined(text) == literal


def test_an_escape_of_lldb_has_one_meaning():
    assert clear_of_lldb(r'"\U0000000e\01\0x\n"', rust=False) == r'"\x0e\0001\0x\n"'
    assert clear_of_lldb('0x4010 "say "hi"\\"', rust=True) == r'0x4010 "say \"hi\"\\"'
    assert clear_of_lldb("'x'", rust=False) == "'x'"


def test_a_character_is_as_many_numbers_as_it_is_stored_in():
    assert codes(r'"\U0000000ea\n\316"') == [14, 97, 10, 0o316]
    assert codes('"é"') == [0xC3, 0xA9]
    assert codes('"é"', wide=True) == [0xE9]


def test_an_array_of_characters_is_no_longer_than_its_type():
    assert string_of(AdapterVariable("a", "char[4]", r'"DCBA\xed"')) == '"DCBA"'
    assert len(codes_of(AdapterVariable("a", "char[80]", '"' + r"\U0000000e" * 80 + '"'))) == 80
    assert string_of(AdapterVariable("a", "char [10]", r'"a\000bc\000\000"')) == r'"a\000bc"'


def test_a_text_that_is_not_whole_is_cut():
    assert [is_cut(text) for text in ('"abc"...', "'q' <repeats 100000 times>", '"abc"')] == [True, True, False]


def test_bytes_are_spelled_as_a_literal():
    assert spelled(b'caf\xc3\xa9 "x"\n\\') == r'"café \"x\"\n\\"'


def test_a_number_in_a_text_is_not_its_length():
    assert AdapterVariable("s", "std::string", '"with 126 apples, size=5"').length is None
    assert AdapterVariable("v", "std::vector<int>", "size=5").length == 5

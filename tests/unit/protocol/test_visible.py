"""What a reader sees of a text that would act or hide."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dap_ai.protocol.wire.visible import all_visible, hidden_in, in_json, on_one_line, visible

ATTACKS = {
    "\x1b]52;c;cm0gLXJmIH4=\x07": r"\x1b]52;c;cm0gLXJmIH4=\x07",
    "\x1b]0;title\x1b\\": r"\x1b]0;title\x1b" + "\\",
    "\x1b]8;;https://evil.test\x1b\\here\x1b]8;;\x1b\\": r"\x1b]8;;https://evil.test\x1b\here\x1b]8;;\x1b" + "\\",
    "\x9b31mred": r"\x9b31mred",
    "safe\rsafe?": r"safe\rsafe?",
    "a\x08b\x7f\x00": r"a\x08b\x7f\x00",
    "access = 'user\u202e \u2066# admin\u2069 \u2066'": r"access = 'user\u202e \u2066# admin\u2069 \u2066'",
    "is\u200badmin\u2060 is\u200dadmin \ufeffx\xad": r"is\u200badmin\u2060 is\u200dadmin \ufeffx\xad",
    "\u3164 = 1; \uffa0 \u115f": r"\u3164 = 1; \uffa0 \u115f",
    "hi\U000e0068\U000e0069": r"hi\U000e0068\U000e0069",
    "x\ufe0f y\U000e0100": r"x\ufe0f y\U000e0100",
    "\U0001f600\ufe0f\ufe0f\ufe01": "\U0001f600\ufe0f" + r"\ufe0f\ufe01",
    "one\u2028two\u2029\x85": r"one\u2028two\u2029\x85",
    "half \ud800": r"half \ud800",
    "\u0644\u061c\u200f\u200e": "\u0644" + r"\u061c\u200f\u200e",
}
REAL = [
    "plain text\twith tabs\nand lines: `x = 1`",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0915\u094d\u200d\u0937 \u0930\u094d\u200d\u092f \u0937\u091f\u094d\u200c\u0915\u094b\u0923",  # Hindi, Marathi
    "\u0d28\u0d4d\u200d \u0d05\u0d35\u0d28\u0d4d\u200d",  # Malayalam as it was written before 2008
    "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
    "\u05e9\u05dc\u05d5\u05dd, \u0645\u0631\u062d\u0628\u0627, Grüße, 你好, こんにちは, 안녕, Ελλάδα, é e\u0301",
    "\U0001f469\u200d\U0001f4bb \u2764\ufe0f\u200d\U0001f525 \U0001f3f3\ufe0f\u200d\U0001f308 \U0001f44d\U0001f3fd",
    "1\ufe0f\u20e3 #\ufe0f\u20e3 \u26a0\ufe0f \u2122\ufe0f \u260e\ufe0e",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    "\u845b\U000e0100 \u1820\u180b",  # an ideograph and a Mongolian letter in another form
]


@pytest.mark.parametrize(("text", "shown"), ATTACKS.items())
def test_what_acts_or_hides_is_shown_as_an_escape(text: str, shown: str):
    assert visible(text) == shown


@pytest.mark.parametrize("text", REAL)
def test_what_real_text_needs_stays_as_it_is(text: str):
    assert visible(text) == text


def test_what_is_hidden_in_a_text_is_listed_in_order():
    assert hidden_in("a\x1bb\r\n\u202e\u0645\u06cc\u200c\u062e") == ["\x1b", "\u202e"]


def test_a_line_end_of_two_characters_is_one():
    assert visible("a\r\nb\x00") == "a\nb\\x00"


MIXED = (
    "a1 \u200c\u200d\ufe0f\ufe0e\u202e\U0001f600\u2764\u0915\u094d\u0645\u06cc\u845b\U000e0100\U000e0067\U0001f3f4\U000e007f"
    "\x1b\r\n\t#\u20e3\x9b\u180b\u1820"
)


@given(st.text(MIXED) | st.text())
@example("a\ufe0f\u200d😀")
def test_nothing_that_acts_is_left_and_doing_it_twice_changes_nothing(text: str):
    shown = visible(text)
    assert visible(shown) == shown
    left = {c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t"}
    assert not left
    assert not {c for c in shown if unicodedata.bidirectional(c) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI")}
    shown.encode()


@given(st.lists(st.dictionaries(st.text(MIXED), st.text(MIXED) | st.integers(), max_size=3), max_size=3))
def test_json_says_the_same_and_nothing_in_it_acts(value: object):
    text = json.dumps(value, ensure_ascii=False)
    shown = in_json(text)
    assert json.loads(shown) == value
    assert visible(shown) == shown
    everything = json.dumps(all_visible(value), ensure_ascii=False)
    assert visible(everything) == everything


def test_names_and_values_in_json_are_made_visible_and_others_stay():
    value = {"a\x1b": ["b\x1b", ("c\x1b",), 3, None], "d": {"e": "\u202e"}}
    assert all_visible(value) == {"a\\x1b": ["b\\x1b", ["c\\x1b"], 3, None], "d": {"e": "\\u202e"}}


@given(st.text())
def test_on_one_line_every_character_is_one_that_everybody_sees(text: str):
    shown = on_one_line(text)
    assert shown.isprintable()
    assert on_one_line(shown) == shown


@pytest.mark.parametrize("text", ["\u3164", "x\ufe0f", "\n", "\u200d", "\x1b", "\xa0"])
def test_what_a_user_decides_on_has_nothing_blank(text: str):
    assert on_one_line(text).isascii()

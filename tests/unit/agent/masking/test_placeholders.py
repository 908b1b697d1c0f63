"""Equal secrets have equal numbers and different ones different numbers, wherever they stand and however written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dap_ai.agent.masking.mask import Masker
from dap_ai.agent.masking.placeholders import fillers
from dap_ai.agent.masking.spans import PLACEHOLDER
from tests.unit.agent.secrets_planted import key_block

steady = settings(max_examples=150, deadline=None, derandomize=True, database=None)
secrets_ = st.text(st.characters(min_codepoint=33, max_codepoint=0x17F, exclude_characters="{}<>%$[]()`*"), min_size=6).map(
    lambda text: "x7" + text + "q9k"
)  # fmt: skip
PLACES: dict[str, Callable[[str], str]] = {
    "repr": lambda s: f"password = {s!r}",
    "json": lambda s: json.dumps({"user": "bob", "api_key": s}),
    "json, not escaped": lambda s: json.dumps({"api_key": s}, ensure_ascii=False),
    "bytes": lambda s: f"secret = {s.encode()!r}",
    "argument": lambda s: f"connect('db', password={s!r}, port=1)",
    "list": lambda s: f"passwords = [{s!r}]",
}
AS_SHOWN: dict[str, Callable[[str, int], str]] = {
    "whole": lambda s, n: repr(s),
    "inspector": lambda s, n: f"{s[:n]!r}... {len(s) - n} more",
    "cut": lambda s, n: f"{s[:n]!r}"[:-1] + f"...+{len(s) - n} chars",
    "dots": lambda s, n: f"{s[:n]!r}...",
}


def only(masked: str) -> str:
    found = PLACEHOLDER.findall(masked)
    assert len(found) == 1, masked
    return found[0]


@steady
@given(st.lists(secrets_, min_size=1, max_size=6, unique=True), st.booleans(), st.data())
def test_equal_numbers_are_equal_secrets(texts: list[str], told: bool, data: st.DataObject) -> None:
    masker = Masker(key=b"k")
    for text in texts if told else ():
        masker.learn("password", text)
    numbers: dict[str, set[str]] = {text: set[str]() for text in texts}
    for text in data.draw(st.permutations(texts)):
        for put in PLACES.values():
            numbers[text].add(only(masker.mask(put(text))))
        numbers[text].add(only(masker.mask_value("password", repr(text))))
    assert [len(found) for found in numbers.values()] == [1] * len(texts), numbers
    assert len(set[str]().union(*numbers.values())) == len(texts), numbers


@steady
@given(
    st.text("abcdef0123456789-", min_size=14, max_size=30),
    st.lists(st.text("uvwxyz0123456789", min_size=5, max_size=12), min_size=2, max_size=5, unique=True),
    st.data(),
)
def test_a_cut_value_has_the_number_of_its_whole_or_says_that_it_is_a_part(
    start: str, ends: list[str], data: st.DataObject
) -> None:
    masker, start = Masker(key=b"k"), f"k3{start}"
    texts = [f"{start}{end}q" for end in ends]
    told = data.draw(st.booleans())
    for text in texts if told else ():
        masker.learn("api_key", text)
    whole = {text: only(masker.mask(f"api_key = {text!r}")) for text in texts}
    for text in texts:
        for write in AS_SHOWN.values():
            shown = masker.mask_value("api_key", write(text, len(start)))
            number = only(shown)
            assert number == whole[text] or number.startswith("<secret:part:"), shown
            assert shown == masker.mask(shown)
    assert len(set(whole.values())) == len(texts)


def test_two_secrets_that_begin_alike_have_no_number_in_common_where_they_were_cut() -> None:
    masker = Masker(key=b"k")
    cut = masker.mask_value("token", "'xoxb-2041589321-39'... 30 more")
    assert only(cut).startswith("<secret:part:")
    masker.learn("token", "xoxb-2041589321-39" + "a1" * 15)
    masker.learn("token", "xoxb-2041589321-39" + "b2" * 15)
    assert masker.mask_value("token", "'xoxb-2041589321-39'... 30 more") == cut


def test_what_was_cut_has_the_number_of_the_only_known_secret_that_begins_so_and_is_that_long() -> None:
    masker = Masker(key=b"k")
    masker.learn("token", "xoxb-2041589321-39" + "a1" * 15)
    whole = only(masker.mask_value("token", "'xoxb-2041589321-39" + "a1" * 15 + "'"))
    assert masker.mask_value("token", "'xoxb-2041589321-39'... 30 more") == f"'{whole}'... 30 more"
    assert "part" in masker.mask_value("token", "'xoxb-2041589321-39'... 31 more")


def test_a_beginning_that_was_learned_is_a_part_until_the_whole_is_known() -> None:
    masker = Masker(key=b"k")
    masker.learn("password", "'beginning-of-'... 7 more")
    assert re.fullmatch(r"a <secret:part:\w+>", masker.mask("a beginning-of-"))
    masker.learn("password", "beginning-of-nothing")
    assert re.fullmatch(r"a <secret:[0-9a-f]+>", masker.mask("a beginning-of-nothing"))


@pytest.mark.parametrize("written", ["https://x.org/?a=1&api_key={}", "postgres://bob:{}@db/x"])
def test_a_secret_in_a_url_has_the_number_of_the_plain_one(written: str) -> None:
    masker, secret = Masker(key=b"k"), "p@ss/w0rd+9x"
    assert only(masker.mask(written.format(quote(secret, safe="")))) == only(masker.mask(f"password={secret!r}"))


def test_a_private_key_has_one_number_however_its_lines_are_written() -> None:
    masker, block = Masker(key=b"k"), key_block()
    plain = only(masker.mask(block))
    assert only(masker.mask(repr(block))) == plain
    assert only(masker.mask(json.dumps({"a": block}))) == plain
    masker.learn("private_key", block)
    assert only(masker.mask(block)) == plain


def test_a_header_and_its_token_alone_are_one_secret() -> None:
    masker = Masker(key=b"k")
    masker.learn("Authorization", "Bearer x7k2m9q4w1zz")
    assert only(masker.mask("Bearer x7k2m9q4w1zz")) == only(masker.mask("it is x7k2m9q4w1zz"))


def test_what_is_another_form_of_one_secret_and_itself_a_secret_has_its_own_number() -> None:
    masker, secret = Masker(key=b"k"), "hunter2-plain"
    masker.learn("password", secret)
    masker.learn("token_b", secret.encode().hex())
    assert only(masker.mask(secret)) != only(masker.mask(f"x {secret.encode().hex()}"))


@steady
@given(st.lists(st.tuples(st.text("0123456789abcdef", min_size=4, max_size=12), st.integers(6, 24)), max_size=40))
def test_no_two_secrets_have_one_filler_in_a_copy(numbers: list[tuple[str, int]]) -> None:
    wanted = [(f"<secret:{number}>", size) for number, size in dict(numbers).items()]
    made = fillers(wanted)
    assert [len(filler) for filler in made] == [size for _, size in wanted]
    assert len(set(made)) == len(made)

"""Any text: masking ends in linear time, is idempotent, keeps what is no secret, and no piece of a stream leaks."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.agent.masking.mask import MaskedStream, Masker
from tests.unit.agent.secrets_planted import NAMED_PLACES, SHAPED_PLACES, named, shaped

PLACEHOLDER = re.compile(r"<secret:(?:part:)?[0-9a-f]{4,}>")
steady = settings(
    max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)

FRAGMENTS = [
    "password", "PASSWORD", "token", "api_key", "secret", "Authorization", "cookie", "s", "_count", "=", ": ", " -> ",
    " is ", "'", '"', "\\'", '\\"', "\\", "`", "[", "]", "{", "}", "(", ")", ",", "; ", "\n", "\\n", " ", "<", ">", "--",
    "-", "...", "...+30 chars", "\u2026", "://", "@", "?", "&", "%3D", "hunter2", "swordfish9", "x7k2m9q4", "None", "a", "1",
    "Bearer ", "Basic ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "MIIEowIBAAKCAQEA1234abcd",
    "<secret:3f2a>", "<secret:", "3f2a>", "eyJ", "sk-", "ghp_", "\u0130", "\ud800", "\U0001f511", "login ", "curl -u ", "=x@y:",
    "SecretStr(", '"""', "|\n  ", "export ", *list(shaped().values())[:6],
]  # fmt: skip
hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join) | st.text(max_size=200)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile, inner, max_size=3),
    max_leaves=8,
)


@steady
@given(hostile)
def test_masking_twice_changes_nothing_more(text: str) -> None:
    masker = Masker(key=b"k")
    once = masker.mask(text)
    assert masker.mask(once) == once


@steady
@given(hostile, st.lists(st.sampled_from(["hunter2-x", "secret:3f", "3f2a>x9", "a=b'c\"d", "swordfish"]), max_size=3))
def test_masking_twice_changes_nothing_more_with_known_secrets(text: str, known: list[str]) -> None:
    masker = Masker(key=b"k")
    for secret in known:
        masker.learn_text(secret)
    once = masker.mask(text)
    assert masker.mask(once) == once


@steady
@given(hostile)
def test_only_whole_parts_are_replaced_in_their_order(text: str) -> None:
    masked = Masker().mask(text)
    rest = text
    for kept in PLACEHOLDER.split(masked):
        assert kept in rest
        rest = rest[rest.index(kept) + len(kept) :]


@steady
@given(hostile, st.sampled_from(sorted(shaped().values())), st.sampled_from(sorted(SHAPED_PLACES)), hostile)
def test_a_shaped_secret_is_found_between_any_lines(before: str, secret: str, place: str, after: str) -> None:
    masked = Masker().mask(f"{before}\n\n {SHAPED_PLACES[place](secret)}\n{after}")
    assert masked.count(secret) <= before.count(secret) + after.count(secret)
    assert secret not in masked


@steady
@given(st.sampled_from(sorted(named())), st.sampled_from(["local", "json", "dict", "source", "argument"]), st.data())
def test_a_quoted_value_beside_a_name_is_found_whatever_it_holds(name: str, place: str, data: st.DataObject) -> None:
    alphabet = st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\'\"%{}[]<>$()*/.:~`")
    secret = data.draw(st.text(alphabet, min_size=6, max_size=30)) + "x7k2m9q4w"
    assert secret not in Masker().mask(NAMED_PLACES[place](name, secret))


@steady
@given(hostile.filter(lambda s: len(s.strip()) >= 8), hostile)
def test_a_known_secret_leaves_in_no_form(secret: str, text: str) -> None:
    masker = Masker()
    if PLACEHOLDER.search(secret) or not masker.learn_text(secret):
        return
    secret = secret.strip()
    if (
        len(secret) < 8
        or secret.isalpha()
        or secret.isdigit()
        or "<secret:" in text
        or secret in "<secret:0123456789abcdef>"
    ):
        return
    for form in (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1]):
        masked = masker.mask(f"{text} {form} {text}")
        assert secret not in PLACEHOLDER.sub("\0", masked)


@steady
@given(hostile, st.lists(st.integers(1, 30), min_size=1, max_size=10))
def test_a_stream_says_what_it_was_given(text: str, sizes: list[int]) -> None:
    stream, out, at, n = MaskedStream(Masker()), "", 0, 0
    while at < len(text):
        size = sizes[n % len(sizes)]
        out += stream.feed(text[at : at + size])
        at, n = at + size, n + 1
    out += stream.finish()
    rest = text
    for kept in PLACEHOLDER.split(out):
        assert kept in rest
        rest = rest[rest.index(kept) + len(kept) :]


@steady
@given(st.sampled_from(sorted(named().items())), st.lists(st.integers(1, 9), min_size=1, max_size=8), hostile)
def test_no_cut_of_a_stream_lets_a_secret_through(pair: tuple[str, str], sizes: list[int], after: str) -> None:
    name, secret = pair
    text = f"first line\n{name} = {secret!r}\nmore\n" + after
    stream, out, at, n = MaskedStream(Masker()), "", 0, 0
    while at < len(text):
        out += stream.feed(text[at : at + sizes[n % len(sizes)]])
        at, n = at + sizes[n % len(sizes)], n + 1
    assert f"'{secret}'" not in out + stream.finish()


@steady
@given(json_values)
def test_json_keeps_its_form(value: Any) -> None:
    masker = Masker()
    masked = masker.mask_json(value)
    assert type(masked) is type(value) or isinstance(masked, str)
    assert masker.mask_json(masked) == masked
    json.dumps(masked)


@settings(steady, max_examples=30)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=5).map("".join))
def test_time_grows_with_the_size_and_not_with_its_square(piece: str) -> None:
    small, large = (piece * (size // len(piece) + 1) for size in (8_000, 64_000))
    if _seconds(large) <= 0.25:  # what is quick tells nothing about growth
        return
    taken, alone = (min(_seconds(text) for _ in range(5)) for text in (large, small))  # the machine's pauses left out
    assert taken < 24 * max(alone, 0.005), f"8 times the size took {taken:.2f} s: {piece!r}"


def _seconds(text: str) -> float:
    began = time.thread_time()
    Masker().mask(text)
    return time.thread_time() - began

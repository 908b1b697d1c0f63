"""The catalogue of errors, and what a failed response says to programs and to people."""

from __future__ import annotations

import json
import re

import pytest

from dap_ai.protocol.wire import errors
from dap_ai.protocol.wire.dap_messages import ErrorBody
from dap_ai.protocol.wire.envelope import Envelope, failure
from dap_ai.protocol.wire.errors import ErrorEntry, NotStopped, RequestFailed
from tests.conftest import ROOT

CATALOGUE = {name: entry for name, entry in vars(errors).items() if isinstance(entry, ErrorEntry)}


def test_ids_are_unique_and_of_our_range():
    ids = [entry.id for entry in CATALOGUE.values()]
    assert len(set(ids)) == len(ids)
    assert all(9000 <= each <= 9099 for each in ids)


def test_the_numbers_in_the_docs_are_of_the_words_beside_them():
    docs = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (9\d{3}[\d, ]*) \|", docs, re.MULTILINE)
    told = {(int(number), word) for word, numbers in rows for number in numbers.split(", ")}
    ours = {(entry.id, entry.message) for entry in CATALOGUE.values()}
    assert len(told) > 20
    assert told - ours == set()


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_error_has_a_word_for_programs_and_a_sentence_for_people(name: str):
    entry = CATALOGUE[name]
    assert re.fullmatch(r"[a-z][A-Za-z]+", entry.message)
    assert " " in entry.text or entry.text in {"{reason}", "{why}", "{error}"}


def test_an_error_that_the_user_knows_is_shown_to_nobody():
    entry = errors.NOT_STOPPED
    shown = [
        json.loads(failure(1, 2, "evaluate", each, {}))["body"]["error"]["showUser"] for each in (entry, entry.known())
    ]
    assert shown == [True, False]


def test_a_failed_request_says_what_a_person_reads_or_else_its_word():
    assert str(RequestFailed("next", "notStopped", "Pause it first.")) == "next: Pause it first."
    assert RequestFailed("next", "notStopped", "Pause it first.").user_text == "Pause it first."
    assert RequestFailed("next", "notStopped").user_text == "notStopped"
    assert (NotStopped("next").command, NotStopped("next").message) == ("next", "notStopped")


def test_a_failure_is_read_with_its_variables_in_place():
    sent = failure(1, 2, "next", errors.DENIED_COMMAND, {"command": "next", "why": "it hangs"})
    message = Envelope.parse(sent)
    assert (message.kind, message.success, message.request_seq) == ("response", False, 2)
    assert message.read(ErrorBody).text() == (
        "'next' is not sent to this debug adapter: it would stop answering (it hangs)."
    )

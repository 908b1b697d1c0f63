"""The allow-list under the corpus, in one stopped program: nothing is touched, and what it answers is true."""

from __future__ import annotations

import sys

import pytest

from tests.safety.harmless import HARMLESS
from tests.safety.harness import AllowList, Finding, by_word, findings
from tests.safety.hostile import HOSTILE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the program tells its state from /proc")

GOAL = 0.95
"""Share of the harmless expressions that the allow-list answers."""


@pytest.fixture(scope="module")
def hostile() -> list[Finding]:
    return findings(AllowList(), HOSTILE)


@pytest.fixture(scope="module")
def harmless() -> list[Finding]:
    return findings(AllowList(), HARMLESS)


@by_word(HOSTILE)
def test_a_hostile_expression_leaves_no_trace(word: str, hostile: list[Finding]):
    traces = [(finding.case.expression, finding.changed) for finding in hostile if finding.case.group == word]
    assert [trace for trace in traces if trace[1]] == []


@by_word(HOSTILE)
def test_a_refusal_names_its_rule(word: str, hostile: list[Finding]):
    refused = [finding.fact for finding in hostile if finding.case.group == word and finding.fact.error == "refused"]
    assert [fact for fact in refused if len(fact.text.removeprefix("refused: ").split()) < 4] == []


def test_every_hostile_expression_gets_an_answer_or_a_refusal(hostile: list[Finding]):
    assert [finding.case.name for finding in hostile if finding.fact.error == "missing"] == []


def test_no_answer_tells_the_content_of_a_file(hostile: list[Finding]):
    assert [finding.case.name for finding in hostile if finding.leaked] == []


def test_what_ends_or_hangs_the_program_is_refused(hostile: list[Finding]):
    fatal = [finding for finding in hostile if finding.case.effect in ("ends", "hangs")]
    assert [finding.case.name for finding in fatal if finding.fact.error != "refused"] == []


def test_threads_answers_within_a_second_after_each(hostile: list[Finding], harmless: list[Finding]):
    assert [finding.case.name for finding in hostile + harmless if finding.threads_s >= 1] == []


@by_word(HARMLESS)
def test_an_answer_is_the_real_value(word: str, harmless: list[Finding]):
    answered = [finding for finding in harmless if finding.case.group == word and finding.answered]
    wrong = [finding for finding in answered if not finding.right]
    assert [(finding.case.expression, finding.fact.value, finding.real) for finding in wrong] == []


def test_a_harmless_expression_leaves_no_trace(harmless: list[Finding]):
    assert [(finding.case.expression, finding.changed) for finding in harmless if finding.changed] == []


def test_most_harmless_expressions_are_answered(harmless: list[Finding]):
    refused = [(finding.case.expression, finding.fact.text) for finding in harmless if not finding.answered]
    assert len(refused) <= (1 - GOAL) * len(harmless), refused

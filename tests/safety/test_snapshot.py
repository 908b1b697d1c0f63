"""Snapshots under the corpus, in one stopped program: whatever runs in the copy, the program does not notice."""

from __future__ import annotations

import sys

import pytest

from tests.patience import patient
from tests.safety.harmless import HARMLESS
from tests.safety.harness import HANG_DEADLINE_S, Finding, Snapshot, by_word, findings
from tests.safety.hostile import HOSTILE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="snapshots are made on Linux")


@pytest.fixture(scope="module")
def hostile() -> list[Finding]:
    return findings(Snapshot(), HOSTILE)


@pytest.fixture(scope="module")
def harmless() -> list[Finding]:
    return findings(Snapshot(), HARMLESS)


@by_word(HOSTILE)
def test_a_hostile_expression_leaves_no_trace(word: str, hostile: list[Finding]):
    traces = [(finding.case.expression, finding.changed) for finding in hostile if finding.case.group == word]
    assert [trace for trace in traces if trace[1]] == []


def test_no_answer_tells_the_content_of_a_file(hostile: list[Finding]):
    assert [finding.case.name for finding in hostile if finding.leaked] == []


def test_what_hangs_is_over_by_its_deadline(hostile: list[Finding]):
    hanging = [finding for finding in hostile if finding.case.effect == "hangs"]
    assert [finding.case.name for finding in hanging if finding.took_s > patient(HANG_DEADLINE_S + 1)] == []


def test_threads_answers_within_a_second_after_each(hostile: list[Finding], harmless: list[Finding]):
    assert [finding.case.name for finding in hostile + harmless if finding.threads_s >= 1] == []


@by_word(HARMLESS)
def test_every_harmless_expression_has_its_real_value(word: str, harmless: list[Finding]):
    wrong = [finding for finding in harmless if finding.case.group == word and not finding.right]
    assert [(finding.case.expression, finding.fact, finding.real) for finding in wrong] == []


def test_a_harmless_expression_leaves_no_trace(harmless: list[Finding]):
    assert [(finding.case.expression, finding.changed) for finding in harmless if finding.changed] == []

"""The page of a run: whole, self-contained, and nothing in a run becomes markup, style or script of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import (
    Effect,
    FileWrite,
    Pattern,
    RunAnalysis,
    RunStage,
    StateNode,
    StepCheck,
)
from dap_ai.debuggees.runs.export.page.document import document
from dap_ai.debuggees.runs.export.view.build_view import view_of
from dap_ai.debuggees.runs.export.view.view_shape import RunView
from dap_ai.debuggees.runs.run_model import Event, Run
from dap_ai.protocol.wire.visible import hidden_in
from tests.patience import at_worst
from tests.unit.debuggees.runs.hand_made import HOSTILE, any_run, event, hostile, ordinary

BROWSER_S = at_worst(60.0)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-sync"]
NETWORK = ["--disable-background-networking", "--disable-component-update"]
ANALYSIS = RunAnalysis(
    effects=[
        Effect(1, "explore"),
        Effect(2, "verify"),
        Effect(3, "change", writes=[FileWrite("shop.py", "edit", (1, 1), "return 1", "return 2")]),
        Effect(4, "message"),
    ],
    checks=[StepCheck(2, "test", "pytest", False, summary="1 failed in 0.1s")],
    stages=[RunStage("inspection", 1, 2), RunStage("patching", 3, 3), RunStage("submission", 4, 4)],
    tree=[
        StateNode(1, 0, "explore", "look first", "def total"),
        StateNode(2, 0, "verify", "test", "1 failed"),
        StateNode(3, 0, "change", "change it", "edited"),
        StateNode(4, 3, "message", "done", ""),
    ],
    patterns=[Pattern("never-verified", [3], "the last change was never checked")],
)
HOSTILE_ANALYSIS = RunAnalysis(
    effects=[Effect(1, "change", writes=[FileWrite(HOSTILE, "edit", None, HOSTILE, f"{HOSTILE}\n+x")])],
    checks=[StepCheck(1, "test", HOSTILE, False, summary=HOSTILE, error=HOSTILE)],
    stages=[RunStage("patching", 1, 1)],
    tree=[StateNode(1, 0, "change", HOSTILE, HOSTILE)],
    patterns=[Pattern("refused", [1], HOSTILE, HOSTILE)],
)
PAGE = ["html", "head", "meta", "meta", "meta", "meta", "meta", "title", "style", "body", "div", "noscript"]


class Elements(HTMLParser):
    """What a browser would make of a page before any script runs: names of elements, attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def page_of(run: Run, analysis: RunAnalysis = HOSTILE_ANALYSIS) -> str:
    return document(view_of(run, analysis))


def data_of(page: str) -> dict[str, Any]:
    """The run in a page."""
    return json.loads(re.search('<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)[1])


def test_the_run_in_it_is_what_the_view_is_given():
    made = view_of(ordinary(), ANALYSIS)
    assert msgspec.convert(data_of(document(made)), RunView) == made


def test_an_event_has_its_words_and_a_step_what_analysis_sees():
    view = view_of(ordinary(), ANALYSIS)
    call = view.events[3]
    assert (call.kind, call.step, call.said, call.tool, call.place) == ("call", 2, "pytest -q", "bash", "run.jsonl:4")
    assert view.events[1].output_tokens == 30
    steps = {step.step: step for step in view.steps}
    assert (steps[2].ok, steps[2].failed, steps[2].effect) == (False, True, "verify")
    assert steps[3].writes[0].diff == ["@@ -1 +1 @@", "-return 1", "+return 2"]
    assert (view.verdict, view.words, view.step_count, view.title) == ("failed", "reward 0", 4, "Fix total().")
    assert view.stages[0].stage == "inspection"


def test_of_a_part_only_its_events_and_their_steps_are_there():
    view = view_of(ordinary(), ANALYSIS, first=6, count=3, most_chars=4)
    assert [each.index for each in view.events] == [6, 7, 8]
    assert [each.step for each in view.steps] == [3]
    assert (view.first, view.total) == (6, 11)
    assert (view.events[0].text, view.events[0].chars) == ("I ch", len("I change it."))


def test_a_patch_is_that_of_the_change():
    events = [event(0, "change", "M shop.py", native_id="abc"), event(1, "end")]

    def patch(change: Event) -> list[str]:
        return [f"+{change.native_id}\x1b"]

    view = view_of(Run("/r", "x", events=events), RunAnalysis(), patch=patch)
    assert [(each.commit, each.diff) for each in view.events] == [("abc", ["+abc\\x1b"]), ("", ())]


@pytest.mark.parametrize("run", [ordinary(), hostile()], ids=["ordinary", "hostile"])
def test_nothing_is_fetched_and_nothing_has_a_handler(run: Run):
    found = Elements(page_of(run))
    assert found.names == [*PAGE, "script", "script"]
    assert {name for name, _ in found.attributes} == {
        *("lang", "charset", "http-equiv", "content", "name", "id", "type"),
    }


def test_the_policy_admits_the_one_script_and_the_one_style_by_their_hashes():
    page = page_of(hostile())
    policy = next(value for name, value in Elements(page).attributes if name == "content" and "default-src" in value)
    for kind, element in (("script", "<script>(.*?)</script>"), ("style", "<style>(.*?)</style>")):
        content = re.search(element, page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


@given(any_run())
@settings(max_examples=40)
def test_any_run_is_a_page_without_hidden_characters_whose_data_can_be_read(run: Run):
    page = page_of(run)
    assert Elements(page).names == [*PAGE, "script", "script"]
    assert hidden_in(page) == []
    assert len(data_of(page)["events"]) == len(run.events)


def test_a_run_that_leaves_out_billions_of_numbers_is_a_page_in_no_time():
    run = Run("/r", "x", events=[event(0, "response", "a", step=1), event(1, "response", "b", step=2**62)])
    assert len(data_of(page_of(run, analyse(run)))["steps"]) == 2


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium on PATH")
def test_in_a_real_browser_it_opens_from_disk_and_hostile_fields_stay_text(tmp_path: Path):
    page = tmp_path / "run.html"
    page.write_text(page_of(hostile()), encoding="utf-8")
    told = subprocess.run(
        ["chromium", *FLAGS, *NETWORK, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=BROWSER_S,
        check=True,
    ).stdout.decode()
    found = Elements(told)
    assert "article" in found.names, "the page's own script has run: it shows rows"
    assert "img" not in found.names and found.names.count("script") == 2
    title = re.search("<title>(.*?)</title>", told, re.DOTALL)[1]
    assert "pwned" in title and title != "pwned", "the title is the run's name, and no script has set it"

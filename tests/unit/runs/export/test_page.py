"""The page of a run: whole, self-contained, and nothing in a run becomes markup, style or script of it."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from dap_ai.protocol.wire.visible import hidden_in
from dap_ai.runs.analysis.analysing import analyse
from dap_ai.runs.analysis.facts import Analysis, Check, Effect, Node, Pattern, Stage, Write
from dap_ai.runs.export.page.document import document
from dap_ai.runs.export.page.markup import Markup, tag, text
from dap_ai.runs.model import Run
from tests.patience import at_worst
from tests.unit.runs.hand_made import HOSTILE, any_run, event, hostile, ordinary

BROWSER_S = at_worst(60.0)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-sync"]
NETWORK = ["--disable-background-networking", "--disable-component-update"]
ANALYSIS = Analysis(
    effects=[
        Effect(1, "explore"),
        Effect(2, "verify"),
        Effect(3, "change", writes=[Write("shop.py", "edit", (1, 1), "return 1", "return 2")]),
        Effect(4, "message"),
    ],
    checks=[Check(2, "test", "pytest", False, summary="1 failed in 0.1s")],
    stages=[Stage("inspection", 1, 2), Stage("patching", 3, 3), Stage("submission", 4, 4)],
    tree=[
        Node(1, 0, "explore", "look first", "def total"),
        Node(2, 0, "verify", "test", "1 failed"),
        Node(3, 0, "change", "change it", "edited"),
        Node(4, 3, "message", "done", ""),
    ],
    patterns=[Pattern("never-verified", [3], "the last change was never checked")],
)
HOSTILE_ANALYSIS = Analysis(
    effects=[Effect(1, "change", writes=[Write(HOSTILE, "edit", None, HOSTILE, f"{HOSTILE}\n+x")])],
    checks=[Check(1, "test", HOSTILE, False, summary=HOSTILE, error=HOSTILE)],
    stages=[Stage("patching", 1, 1)],
    tree=[Node(1, 0, "change", HOSTILE, HOSTILE)],
    patterns=[Pattern("refused", [1], HOSTILE, HOSTILE)],
)
KNOWN = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "span", "div", "aside", "main", "nav"),
    *("details", "summary", "ol", "ul", "li", "a", "b", "p", "pre", "code", "ins", "del", "small", "section", "input"),
    *("output", "button", "footer", "kbd", "script"),
}


class Elements(HTMLParser):
    """What a browser would make of a page, roughly: element names, attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.said: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_every_step_event_and_finding_is_in_it():
    said = "".join(Elements(document(ordinary(), ANALYSIS)).said)
    for wanted in (
        "Fix total().",
        "pytest -q",
        "1 failed in 0.1s",
        "def total(): ...",
        "Done: total() is right.",
        "hm",
    ):
        assert wanted in said
    for wanted in (
        "never-verified",
        "the last change was never checked",
        "inspection",
        "line 12 is no JSON",
        "reward 0",
    ):
        assert wanted in said


def test_a_change_is_a_diff():
    page = document(ordinary(), ANALYSIS)
    assert "<del>-return 1\n</del>" in page and "<ins>+return 2\n</ins>" in page


def test_each_link_has_its_target():
    attributes = Elements(document(ordinary(), ANALYSIS)).attributes
    targets = {value for name, value in attributes if name == "id"}
    links = {value for name, value in attributes if name == "href"}
    assert links == {f"#s{number}" for number in range(1, 5)}
    assert {link[1:] for link in links} <= targets


@pytest.mark.parametrize("run", [ordinary(), hostile()], ids=["ordinary", "hostile"])
def test_nothing_is_fetched_and_nothing_has_a_handler(run: Run):
    found = Elements(document(run, HOSTILE_ANALYSIS))
    assert set(found.names) <= KNOWN
    assert found.names.count("script") == 1
    assert {name for name, _ in found.attributes} & {"src", "style", "srcset", "action", "onerror", "onclick"} == set()
    assert all(value.startswith("#s") for name, value in found.attributes if name == "href")


def test_the_policy_admits_the_one_script_and_the_one_style_by_their_hashes():
    page = document(hostile(), HOSTILE_ANALYSIS)
    policy = dict(Elements(page).attributes)["content"]
    policy = next(value for name, value in Elements(page).attributes if name == "content" and "default-src" in value)
    for kind, element in (("script", "script"), ("style", "style")):
        content = re.search(f"<{element}>(.*?)</{element}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


@given(any_run())
@settings(max_examples=40)
def test_any_run_is_a_page_of_known_elements_without_hidden_characters(run: Run):
    page = document(run, HOSTILE_ANALYSIS)
    assert set(Elements(page).names) <= KNOWN
    assert hidden_in(page) == []
    page.encode()


def test_a_run_that_leaves_out_billions_of_numbers_is_a_page_in_no_time():
    run = Run("/r", "x", events=[event(0, "response", "a", step=1), event(1, "response", "b", step=2**62)])
    assert document(run, analyse(run)).count("data-step=") == 2


def test_text_is_escaped_and_only_markup_is_not():
    assert tag("b", {"title": '"<'}, "<i>", Markup("<u></u>")) == '<b title="&quot;&lt;">&lt;i&gt;<u></u></b>'
    assert text("\x1b") == "\\x1b"


def test_a_text_that_begins_with_a_line_end_keeps_it():
    assert tag("pre", {}, "\nx") == "<pre>\n\nx</pre>"


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium on PATH")
def test_in_a_real_browser_hostile_fields_stay_text_and_the_page_works(tmp_path: Path):
    page = tmp_path / "run.html"
    page.write_text(document(hostile(), HOSTILE_ANALYSIS), encoding="utf-8")
    told = subprocess.run(
        ["chromium", *FLAGS, *NETWORK, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"{page.as_uri()}#s1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=BROWSER_S,
        check=True,
    ).stdout.decode()
    found = Elements(told)
    assert set(found.names) <= KNOWN
    title = re.search("<title>(.*?)</title>", told, re.DOTALL)[1]
    assert "pwned" in title and title != "pwned", "the title is the run's name, and no script has set it"
    assert found.names.count("script") == 1
    step = re.search(r'<details[^>]*data-step="1"[^>]*>', told)[0]
    assert 'open=""' in step, "the page's own script has run: it opened the step that the address names"

"""`dap-ai run layout`: what a user sees of a layout for a format that nobody knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dap_ai.cli import main
from dap_ai.debuggees.runs.layouts.layout_model import parse
from dap_ai.protocol.wire.visible import hidden_in
from dap_ai.settings import toml_files
from tests.unit.debuggees.runs.layouts.formats import LAYOUTS, cockpit, ledger
from tests.unit.debuggees.runs.logs import document


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "config"
    place.mkdir()
    (place / "config.toml").write_text("")
    monkeypatch.setenv("DAP_AI_CONFIG", str(place / "config.toml"))
    return place / "layouts"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, arguments)])


@pytest.fixture
def cockpit_toml(tmp_path: Path) -> Path:
    (tmp_path / "cockpit.toml").write_text(LAYOUTS[cockpit])
    return tmp_path / "cockpit.toml"


def test_a_layout_is_printed_with_the_check_and_ten_steps_as_comments(tmp_path, cockpit_toml, own_settings):
    told = run("layout", cockpit(tmp_path), "--layout", cockpit_toml)
    assert told.exit_code == 0
    assert parse(told.stdout.encode()) == parse(LAYOUTS[cockpit])
    assert "# 4 steps, " in told.stdout and "100.0% of the text reached" in told.stdout
    assert "\n# 3 Now I run the test twice" in told.stdout
    assert not own_settings.exists()  # nothing is kept without being asked for


def test_a_layout_to_fill_in_says_where_the_texts_are(tmp_path):
    told = run("layout", cockpit(tmp_path))
    assert told.exit_code == 0
    assert toml_files.parse(told.stdout.encode(), tmp_path) == {"name": "mine", "kind": "document", "events": ""}
    assert "  flightlog.entries[].utterance\n" in told.stdout
    assert 'kind = "lines"' in run("layout", ledger(tmp_path)).stdout
    texts = json.loads(run("layout", tmp_path / "flight.json", "--json").stdout)["texts"]
    assert texts[0]["at"] == "flightlog.entries[].utterance" and texts[0]["chars"] > 300


def test_what_is_to_fill_in_cannot_be_saved(tmp_path):
    told = run("layout", cockpit(tmp_path), "--save", "x")
    assert told.exit_code == 2 and "--layout or --model" in told.stderr


def test_a_layout_that_is_saved_opens_the_file_from_then_on(tmp_path, own_settings):
    path = ledger(tmp_path)
    (tmp_path / "mine.toml").write_text(LAYOUTS[ledger])
    assert run("steps", path).exit_code == 2
    saved = run("layout", path, "--layout", tmp_path / "mine.toml", "--save", "ledger")
    assert saved.exit_code == 0 and (own_settings / "ledger.toml").is_file()
    steps = run("steps", path, "--json")
    assert steps.exit_code == 0
    assert len(steps.stdout.splitlines()) == 4


def test_a_layout_with_a_fault_is_shown_and_not_saved(tmp_path, own_settings):
    poor = tmp_path / "poor.toml"
    poor.write_text('name = "x"\nevents = "flightlog.entries[]"\n[fields]\ntext = "instrument"\n')
    told = run("layout", cockpit(tmp_path), "--layout", poor, "--save", "poor")
    assert told.exit_code == 1
    assert "# fault: only" in told.stdout
    assert not own_settings.exists()


def test_json_tells_the_same(tmp_path, cockpit_toml):
    told = json.loads(run("layout", cockpit(tmp_path), "--layout", cockpit_toml, "--json").stdout)
    assert (told["good"], told["steps"], told["reached"], told["saved"]) == (True, 4, 1.0, "")
    assert len(told["preview"]) == 4


def test_a_file_that_cannot_be_read_is_told_with_exit_code_2(tmp_path):
    (tmp_path / "x.json").write_text("no JSON")
    told = run("layout", tmp_path / "x.json")
    assert told.exit_code == 2 and "Error: " in told.stderr


def test_a_folder_has_no_layout(tmp_path):
    assert "a layout describes a file" in run("layout", tmp_path).stderr


def test_without_a_model_the_option_model_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("DAP_AI_PROVIDER", "offline")
    told = run("layout", cockpit(tmp_path), "--model")
    assert told.exit_code == 2 and "no language model is set" in told.stderr


def test_a_model_that_is_set_proposes_the_layout(tmp_path, monkeypatch):
    path = cockpit(tmp_path)
    toml = LAYOUTS[cockpit].replace('"cockpit"', '"by-model"')
    answer = f"```toml\n{toml}```"
    replies = tmp_path / "replies.jsonl"
    replies.write_text(json.dumps({"text": answer}) + "\n")
    monkeypatch.setenv("DAP_AI_PROVIDER", "scripted")
    monkeypatch.setenv("DAP_AI_REPLAY", str(replies))
    told = run("layout", path, "--model")
    assert told.exit_code == 0, told.stderr
    assert 'name = "by-model"' in told.stdout


def test_what_would_act_on_a_terminal_is_escaped(tmp_path):
    entries = [{"speaker": s, "words": f"\x1b[2J\u202ewords that are long enough {n}"} for n, s in enumerate("abab")]
    told = run("layout", document(tmp_path / "x.json", {"\x1b]0;x\x07": entries}))
    assert not hidden_in(told.stdout)
    toml_files.parse(told.stdout.encode(), tmp_path)

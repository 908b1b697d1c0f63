"""Where a null pointer comes from, asked of the real adapters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.report.wording import CAUSE
from tests.integration import native
from tests.integration.native_examples import ADAPTERS, backend_for
from tests.integration.native_session import marked

Ask = Callable[..., subprocess.CompletedProcess[bytes]]
ERRANDS = native.SOURCES / "errands.cpp"
LIMITS = native.SOURCES / "limits.c"
SHELF = native.SOURCES / "shelf.cpp"
STATIONS = native.SOURCES / "stations.cpp"


@pytest.fixture(params=ADAPTERS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A native backend whose adapter is here."""
    return backend_for(request.param, monkeypatch.setenv)


def test_a_null_that_a_map_has_made_is_followed_past_a_loop_that_never_ran(
    run_dap_ai: Ask, backend: str, tmp_path: Path
):
    done = asked(run_dap_ai, backend, ERRANDS, tmp_path)
    ended = ended_of(done)
    assert ended["suspects"][0]["line"] == marked(ERRANDS, "made"), ended["answer"]
    assert b"DW_TAG" not in done.stdout + done.stderr


def test_a_null_that_a_map_has_made_in_a_method_is_told_where_the_method_returns_it(
    run_dap_ai: Ask, backend: str, tmp_path: Path
):
    ended = ended_of(asked(run_dap_ai, backend, SHELF, tmp_path))
    assert ended["suspects"][0]["line"] == marked(SHELF, "made"), ended["answer"]
    assert "`books_[place]` is null: `[]` makes such an element where the key is missing" in ended["answer"]


def test_a_null_that_a_look_up_returned_is_told_with_what_was_looked_up_and_what_is_much_like_it(
    run_dap_ai: Ask, backend: str, tmp_path: Path
):
    answer = ended_of(asked(run_dap_ai, backend, STATIONS, tmp_path))["answer"]
    first = answer.partition("\n")[0]
    line = marked(STATIONS, "failing")
    assert f'`station` is `null` for `name` = `"Airport"` at `stations.cpp:{line}`' in first
    assert 'In `stations` there is `"Airport "`, which differs in blanks only.' in answer


def test_a_loop_that_keeps_to_its_limit_is_not_the_cause_but_the_call_that_passes_a_wrong_one(
    run_dap_ai: Ask, backend: str, tmp_path: Path
):
    ended = ended_of(asked(run_dap_ai, backend, LIMITS, tmp_path))
    assert f"{CAUSE} `limits.c:{marked(LIMITS, 'passed')}`: passes `70000000` for `top` of `sum`." in ended["answer"]
    assert "where `<` fits" not in ended["answer"]


def asked(run_dap_ai: Ask, backend: str, source: Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    program = native.build(source, folder)
    return run_dap_ai("ask", "--json", "--provider", "offline", "--backend", backend, program)


def ended_of(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return next(event for event in events if event["event"] == "askEnded")

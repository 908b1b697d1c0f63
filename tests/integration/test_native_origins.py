"""Where a null pointer comes from, asked of the real adapters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration import native
from tests.integration.native_examples import ADAPTERS, backend_for

Ask = Callable[..., subprocess.CompletedProcess[bytes]]
ERRANDS = native.SOURCES / "errands.cpp"


@pytest.fixture(params=ADAPTERS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A native backend whose adapter is here."""
    return backend_for(request.param, monkeypatch.setenv)


def test_a_null_that_a_map_has_made_is_followed_past_a_loop_that_never_ran(
    run_dap_ai: Ask, backend: str, tmp_path: Path
):
    program = native.build(ERRANDS, tmp_path)
    done = run_dap_ai("ask", "--json", "--provider", "offline", "--backend", backend, program)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    ended = next(event for event in events if event["event"] == "askEnded")
    made = next(n for n, line in enumerate(ERRANDS.read_text(encoding="utf-8").split("\n"), 1) if "@bp made" in line)
    assert ended["suspects"][0]["line"] == made, ended["answer"]
    assert b"DW_TAG" not in done.stdout + done.stderr

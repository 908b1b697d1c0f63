"""The folder of a session's documents: read-only files, gone with it; of a killed session, at another's start."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from dap_ai.debuggees.runs.adapter import document_folder
from dap_ai.debuggees.runs.adapter.document_folder import Folder

pytest.importorskip("fcntl")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def grown_old(path: Path) -> Path:
    os.utime(path, (1, 1))
    return path


def test_documents_are_read_only_and_gone_with_the_session(temporary: Path):
    mine = Folder()
    path = Path(mine.writer("run.md", "first"))
    assert Path(mine.writer("run.md", "second")) == path
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("second", 0o400)
    mine.end()
    mine.end()
    assert not list(temporary.iterdir())


def test_what_a_killed_session_has_left_is_cleared_and_what_one_uses_is_not(temporary: Path):
    living = Folder()
    used = grown_old(Path(living.writer("run.md", "")).parent)
    left, foreign, young = (temporary / f"dap-ai-run-{name}" for name in ("left", "foreign", "young"))
    for each in (left, foreign, young):
        each.mkdir()
    for each in (left, young):
        (each / document_folder.LOCK).touch()
    grown_old(left)
    grown_old(foreign)
    Folder().end()
    assert set(temporary.iterdir()) == {used, foreign, young}
    living.end()

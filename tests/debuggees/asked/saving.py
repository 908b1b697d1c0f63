import os
import tempfile
from pathlib import Path

import saved


def test_saved_for_a_test(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved.save(Path("deep", "numbers.json"), [1, 2])
    assert os.listdir() == ["deep"]
    assert saved.total(tmp_path / "deep" / "numbers.json") == 3


def test_saved_for_a_moment():
    with tempfile.TemporaryDirectory() as folder:
        saved.save(Path(folder, "numbers.json"), [1, 2])
        assert saved.total(Path(folder, "numbers.json")) == 3

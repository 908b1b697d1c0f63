"""An import in a circle is told by the import statements of the circle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.ranking.ranking import analyse
from tests.unit.agent.harness import case_of, fail


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("circle_a", "circle_b"):
        sys.modules.pop(name, None)


def test_a_name_that_the_module_never_sets_is_told_by_python_alone(folder: Path):
    (folder / "circle_a.py").write_text("from circle_b import rows\nLIMIT = 3\n")
    (folder / "circle_b.py").write_text("from circle_a import LIMITS\nrows = []\n")
    (folder / "main.py").write_text("import circle_a\n")
    analysis = analyse(case_of(fail(folder / "main.py")))
    assert analysis is not None
    assert analysis.diagnosis.sentences == []


@pytest.mark.parametrize("needs", ["from circle_a import LIMIT", "import circle_a\nprint(circle_a.LIMIT)"])
def test_the_statements_of_the_circle_are_named(needs: str, folder: Path):
    (folder / "circle_a.py").write_text("from circle_b import rows\nLIMIT = 3\n")
    (folder / "circle_b.py").write_text(f"{needs}\nrows = [LIMIT]\n")
    (folder / "main.py").write_text("import circle_a\n")
    analysis = analyse(case_of(fail(folder / "main.py")))
    assert analysis is not None
    (told,) = analysis.diagnosis.sentences
    assert "main.py:1` imports `circle_a`, " in told
    assert "circle_a.py:1` imports `circle_b`, which needs `LIMIT` before `circle_a` has set it." in told

"""An answer names the file beside the program that shadows a standard module, where the program fails by that."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.unit.agent.harness import ask, fail


@pytest.fixture(autouse=True)
def _not_loaded_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("colorsys", "xmlrpc", "xmlrpc.client"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def first_line(folder: Path, module: str, source: str, program: str) -> str:
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    (folder / "main.py").write_text(program, encoding="utf-8")
    answer, _ = ask(fail(folder / "main.py"))
    if answer.suspects[0].reason.startswith("shadows"):
        assert (answer.suspects[0].file, answer.fixes) == (str(folder / f"{module}.py"), [])
        assert f"Rename `{module}.py`" in answer.text
    return answer.text.split("\n")[0]


@pytest.mark.parametrize(
    ("module", "lacks", "program"),
    [
        ("colorsys", "hsv_to_rgb", "import colorsys\n\ncolorsys.hsv_to_rgb(0, 0, 1)\n"),
        ("colorsys", "hsv_to_rgb", "import colorsys as colours\n\nprint(colours.hsv_to_rgb(0, 0, 1))\n"),
        ("colorsys", "hsv_to_rgb", "from colorsys import hsv_to_rgb\n"),
        ("xmlrpc", "client", "import xmlrpc.client\n"),
    ],
)
def test_the_first_line_says_that_the_module_is_a_file_beside_the_program(
    module: str, lacks: str, program: str, tmp_path: Path
) -> None:
    told = first_line(tmp_path, module, "def paint():\n    pass\n", program)

    assert re.sub(r"`\S+/", "`", told) == (
        f"`{module}` is `{module}.py` beside the program, not the standard library's, and has no `{lacks}`."
    )


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("colorsys", "import colorsys\n\ncolorsys.pant()\n"),
        ("colorsys", "from colorsys import pant\n"),
        ("xmlrpc", "import xmlrpc.clients\n"),
        ("colours_of_mine", "import colours_of_mine\n\ncolours_of_mine.hsv_to_rgb(0, 0, 1)\n"),
    ],
)
def test_what_the_standard_library_does_not_have_either_is_not_explained_by_it(
    module: str, program: str, tmp_path: Path
) -> None:
    assert "standard library" not in first_line(tmp_path, module, "def paint():\n    pass\n", program)

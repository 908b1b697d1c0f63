"""Frames of data as a user asks for them: `dap-ai ask` on a program with the real pandas."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.tools.base import UNCHANGED
from tests.patience import at_worst

LIMIT_S = at_worst(120)
SECRETS = ("hunter2-1-Correct", "hunter2-2-Correct", "HUNTER2-1-CORRECT")
HEAD = """\
   customer  city  total  at
0  ann       Rome   12.5  2024-01-31
1  bob       Oslo   99.0  2024-02-29

2 rows x 4 columns:"""
TOTALS = """\
   total
0  12.50
1  99.00
2    NaN
3   3.25

4 rows: float64"""
BY_CITY = """\
city   sum  mean
Oslo  99.0  99.0
Rome  12.5  12.5

2 rows x 2 columns: all float64"""


FORMS = """['password'] .iloc[0] .T .melt() .describe() .set_index('password').index ['password'].unique() .values
    ['password'].tolist() ['password'].str.upper() .groupby('password').size() .to_string() .to_dict('records')"""


@pytest.fixture(scope="module")
def python(python_versions: dict[str, Path]) -> Path:
    """The newest interpreter with debugpy and pandas."""
    for version in sorted(python_versions, key=lambda text: -int(text.partition(".")[2])):
        found = python_versions[version]
        if subprocess.run([found, "-c", "import pandas"], capture_output=True, check=False).returncode == 0:
            return found
    pytest.skip("no Python here has debugpy and pandas")


@pytest.fixture
def ask(python: Path, debuggee: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    """`ask(question, ..., level="observe")`: what `dap-ai ask --chat` prints of the answers."""

    def run(*questions: str, level: str = "compute") -> str:
        program = debuggee("data_frames")
        command = [sys.executable, "-m", "dap_ai", "ask", "--chat", "--level", level, "--python", python]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
        done = subprocess.run(
            [*command, "-b", f"{program.path}:{program.line}", program.path],
            input="\n".join(questions) + "\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
def test_what_a_user_asks_of_frames_and_dicts_is_shown(ask: Callable[..., str]) -> None:
    shown = ask(
        "evaluate orders.head(2)",
        "orders['total']",
        "evaluate by_city",
        "evaluate orders.dtypes",
        "evaluate orders.describe()",
        "what is stock.keys()?",
        "evaluate stock.items()",
        "evaluate letters.most_common(2)",
        "evaluate zip(stock, range(3))",
    )

    for text in (HEAD, TOTALS, BY_CITY):
        assert f"```text\n{text}" in shown
    assert f"`orders.head(2)` evaluates to this `DataFrame` ({UNCHANGED}):" in shown
    assert "total     float64\nat        datetime64" in shown
    assert "count   3.000000  3\nmean   38.250000  2024-02-19 16:00:00" in shown
    assert "dict_keys(['apples', 'pears'])" in shown
    assert "dict_items([('apples', 3), ('pears', [1, 2])])" in shown
    assert "[('a', 5), ('b', 2)]" in shown
    assert "yields ('apples', 0), ('pears', 1) and ends" in shown


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")
def test_no_secret_of_a_frame_is_shown_in_whatever_form_it_is_asked_for(ask: Callable[..., str]) -> None:
    shown = ask("what is logins?", *(f"evaluate logins{form}" for form in FORMS.split()))

    assert not any(secret in shown for secret in SECRETS)
    assert shown.count("<secret:") > 20
    assert "ann" in shown


def test_where_nothing_may_be_called_frames_and_their_parts_are_read_all_the_same(ask: Callable[..., str]) -> None:
    shown = ask("evaluate orders.head(2)", "what is orders['total']?", "evaluate logins", level="observe")

    assert HEAD in shown
    assert TOTALS in shown
    assert not any(secret in shown for secret in SECRETS)

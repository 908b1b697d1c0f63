"""Django's own test runner: `dap-ai ask manage.py test` stops at the failure, and runs the whole test again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TESTS
from tests.patience import patient

PYTHON = os.environ.get("DAP_AI_DJANGO") or str(TESTS.parent / ".venvs" / "django" / "bin" / "python")
"""Of an environment with Django: `python -m venv .venvs/django`, and there `pip install django`."""

pytestmark = [
    pytest.mark.skipif(not Path(PYTHON).exists(), reason="no Django: neither DAP_AI_DJANGO nor .venvs/django"),
    pytest.mark.skipif(sys.platform != "linux", reason="snapshots need Linux"),
]
MODELS = """
def total(prices):
    result = 0
    for price in prices:
        result = price
    return result
"""
CASES = """
from django.test import TestCase
from shop.models import total

class TotalTests(TestCase):
    def test_what_is_caught(self):
        with self.assertRaises(KeyError):
            {}["x"]
        self.assertEqual(self.client.get("/nowhere").status_code, 404)

    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)
"""


def test_a_test_that_fails_is_stopped_at_and_run_again_whole(tmp_path):
    for command in (["startproject", "site1", "."], ["startapp", "shop"]):
        subprocess.run([PYTHON, "-m", "django", *command], cwd=tmp_path, check=True)
    (tmp_path / "shop" / "models.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "shop" / "tests.py").write_text(CASES, encoding="utf-8")
    ask = [sys.executable, "-m", "dap_ai", "ask", "--json", "--python", PYTHON, "manage.py", "test"]
    done = subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, timeout=patient(120.0), check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (stopped,) = [event for event in events if event["event"] == "stopped"]
    (ended,) = [event for event in events if event["event"] == "askEnded"]
    assert stopped["description"] == "3 != 6"
    assert ended["suspects"][0]["file"] == str(tmp_path / "shop" / "models.py")
    assert [fix["verified"] for fix in ended["fixes"]] == [True], ended["answer"]

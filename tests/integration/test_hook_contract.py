"""The hook's table against the frameworks as they are installed: what an upgrade changes fails here, by name."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

import pytest

import dap_ai
from tests.integration.real_agents import LONG_S, program

_CHECK = """
import importlib, importlib.util, json, os, sys
folder = sys.argv[1]
spec = importlib.util.spec_from_file_location("_dap_ai_hook", os.path.join(folder, "__init__.py"),
                                              submodule_search_locations=[folder])
sys.modules["_dap_ai_hook"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from _dap_ai_hook.import_hook import MODULES
from _dap_ai_hook.hook_points import points_of
found = {}
for file in sys.argv[2:]:
    for point in points_of(file):
        name = point.module + "." + point.name
        if MODULES.get(point.module) != file:
            found[name] = "its module is not looked out for"
        else:
            try:
                found[name] = point.mistake(importlib.import_module(point.module))
            except ImportError as error:
                found[name] = str(error)
print(json.dumps(found))
"""
OPENAI = "openai._base_client.BaseClient._build_headers"
ANTHROPIC = "anthropic._base_client.BaseClient._build_headers"
HOOK = dap_ai.__path__[0] + "/debuggees/runs/live/hook"


def mistakes(environment: str, files: Sequence[str]) -> dict[str, str]:
    python = program(environment, "python")
    ran = subprocess.run([python, "-c", _CHECK, HOOK, *files], capture_output=True, text=True, timeout=LONG_S)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("environment", "files", "count", "lacking"),
    [
        ("mini-swe-agent", ["mini_swe_agent", "sdks"], 5, {ANTHROPIC}),
        ("openai-agents", ["openai_agents", "sdks"], 5, {ANTHROPIC}),
        ("smolagents", ["smol", "sdks"], 5, {ANTHROPIC}),
        ("pydantic-ai", ["pydantic", "sdks"], 4, set()),
        ("langgraph", ["langchain", "sdks"], 8, {ANTHROPIC}),
        ("openhands-sdk", ["openhands", "sdks"], 5, set()),
        ("aider", ["sdks"], 2, {ANTHROPIC}),
    ],
)
def test_each_function_of_the_table_is_there_and_takes_what_is_used(
    environment: str, files: Sequence[str], count: int, lacking: set[str]
):
    found = mistakes(environment, files)
    assert len(found) == count
    wrong = {name: why for name, why in found.items() if why}
    assert set(wrong) == lacking, wrong
    assert all("No module named 'anthropic'" in why for why in wrong.values())

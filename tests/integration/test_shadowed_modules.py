"""A file beside the program that shadows a module of the standard library does so under dap_ai as under plain Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.integration.live import live
from tests.patience import patient

pytestmark = pytest.mark.anyio
OWN = "def winner(names):\n    return sorted(names)[0]\n"
DRAW = """\
import os
import random

print(os.path.basename(random.__file__), random.winner(["b", "a"]))
import tempfile

print("not reached", tempfile)
"""


@pytest.mark.parametrize("version", ["3.8", "3.12"])
async def test_a_shadowed_module_is_the_one_that_plain_python_imports_and_the_answer_names_its_file(
    version: str, python_versions: dict[str, Path], tmp_path: Path
) -> None:
    if version not in python_versions:
        pytest.skip(f"no Python {version} here")
    (tmp_path / "random.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "draw.py").write_text(DRAW, encoding="utf-8")
    python = str(python_versions[version])
    plain = subprocess.run(
        [python, "draw.py"], cwd=tmp_path, capture_output=True, text=True, timeout=patient(30), check=False
    )
    assert plain.stdout == "random.py a\n"
    error = plain.stderr.strip().splitlines()[-1]
    assert error.startswith("ImportError: cannot import name 'Random' from 'random'")

    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(tmp_path / "draw.py", python=[python], cwd=str(tmp_path))
        stop = await session.stopped()
        about = await session.request("exceptionInfo", {"threadId": stop["threadId"]})
        await session.request("ask", {"question": ""})
        answer = (await session.event("askEnded"))["answer"]

        assert session.output() == plain.stdout
        assert f"{about['exceptionId']}: {about['description']}".removeprefix("builtins.") == error
        assert answer.split("\n")[0] == (
            "`random` is `random.py` beside the program, not the standard library's, and has no `Random`."
        )

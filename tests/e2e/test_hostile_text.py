"""A program whose values hold what a terminal obeys and what hides: in no file and no line of an answer is it raw."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from dap_ai.protocol.wire.visible import hidden_in
from tests.e2e.test_terminal import DAP_AI, LIMIT_S

PROGRAM = r"""
name = "\x1b]52;c;cm0=\x07\x9b2J user\u202e\u2066# admin"
key = "is\u200badmin\U000e0041"
raise ValueError(name + key)
"""


def test_what_a_program_holds_reaches_its_user_as_escapes(tmp_path: Path):
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    export, answer = tmp_path / "export.md", tmp_path / "answer.md"
    command = [*DAP_AI, "ask", "--provider", "offline", "--json", "--export", str(export), "program.py"]
    environ = {**os.environ, "DAP_AI_ANSWER_FILE": str(answer)}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, timeout=LIMIT_S, check=False)

    said = [json.loads(line) for line in done.stdout.decode().splitlines()]
    (ended,) = [row for row in said if row["event"] == "askEnded"]
    assert r"\x1b]52;c;cm0=\x07" in ended["answer"]
    ours = [json.dumps(row, ensure_ascii=False) for row in said if row["event"] != "output"]
    for text in (*ours, ended["answer"], done.stdout.decode(), export.read_text("utf-8"), answer.read_text("utf-8")):
        assert hidden_in(text) == []

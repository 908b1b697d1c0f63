from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dap_ai.debuggees.runs.opening import Readers, open_run
from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import steps_of

PAGE = Path(__file__).parents[4] / "docs" / "readers.md"


def test_the_reader_of_the_documentation_reads_a_run(tmp_path):
    example = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102  our own page
    turns = [{"says": "I look.", "shell": "ls", "output": "a"}, {"says": "Done."}]
    (tmp_path / "a.parrot.json").write_text(json.dumps({"parrot_version": 3, "turns": turns, "passed": True}))
    run = open_run(tmp_path / "a.parrot.json", among=Readers([names["reader"]], []))
    first, last = steps_of(run)
    assert first.call and first.result and (first.call.text, first.result.text) == ("ls", "a")
    assert last.response and resolve(run.root, last.response.ref) == b'{"says": "Done."}'
    assert (run.outcome.verdict, run.format_version) == ("solved", "3")

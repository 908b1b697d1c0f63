from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.refs import resolve
from dap_ai.debuggees.runs.run_model import steps_of
from tests.unit.debuggees.runs.logs import kinds, only, opened

HISTORY = """
# aider chat started at 2026-01-02 03:04:05

> Aider v0.86.0
> Main model: big-model with diff edit format

#### make add() right
#### and test it

I will fix `add`.

calc.py
```python
<<<<<<< SEARCH
def add(a, b):
    return a - b
=======
def add(a, b):
    return a + b
>>>>>>> REPLACE
```

> Tokens: 2.5k sent, 172 received. Cost: $0.0100 message, $0.0100 session.
> Applied edit to calc.py
> Commit 1a2b3c4 fix: add adds

#### thanks

You are welcome.
"""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(HISTORY)
    return opened(path, "aider")


def test_a_chat_is_tasks_answers_edits_and_what_the_program_says(run):
    assert kinds(run) == ["note", "note", "task", "response", "call", "result", "change", "note", "task", "response"]
    assert (run.task, run.agents[0].model, run.cost_usd) == ("make add() right\nand test it", "big-model", 0.01)


def test_an_edit_block_is_a_call_that_points_to_its_lines(run):
    step = steps_of(run)[0]
    assert step.call and step.call.arguments and step.call.arguments["path"] == "calc.py"
    assert step.call.arguments["replace"] == "def add(a, b):\n    return a + b\n"
    assert resolve(run.root, step.call.ref).startswith(b"calc.py\n```python\n<<<<<<< SEARCH")
    assert step.result and (step.result.text, step.result.status) == ("Applied edit to calc.py", "ok")


def test_an_answer_without_an_edit_is_a_step(run):
    assert [(step.number, step.call is None) for step in steps_of(run)] == [(1, False), (2, True)]


def test_tokens_and_cost_belong_to_the_answer_before_them(run):
    usage = only(run, "response")[0].usage
    assert usage and (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (2500, 172, 0.01)


def test_an_edit_that_was_never_applied_is_told(tmp_path):
    path = tmp_path / "history.md"
    path.write_text(HISTORY.replace("> Applied edit to calc.py\n", ""))
    assert any("has no result" in problem.text for problem in opened(path, "aider").problems)


def test_marks_of_edit_blocks_that_never_end_are_read_in_no_time(tmp_path):
    path = tmp_path / "history.md"
    path.write_text("# aider chat started at 2026-01-02 03:04:05\n\n" + "a.py\n<<<<<<< SEARCH\n=======\n" * 30_000)
    run = opened(path, "aider")
    assert kinds(run) == ["note", "response"]


WHOLE = """# aider chat started at 2026-05-11 00:28:45

> Model: ollama_chat/small with whole edit format~

#### /add nav.py~
> Added nav.py to the chat~

#### write it~
####~
#### ```~
#### like this~
#### ```~

nav.py
```
import math
```

> Tokens: 1.1k sent, 1.1k received.~
> Applied edit to nav.py~
""".replace("~", "  ")


def test_whole_files_are_written_and_commands_are_no_task(tmp_path):
    path = tmp_path / "history.md"
    path.write_text(WHOLE)
    run = opened(path, "aider")
    assert run.task == "write it\n\n```\nlike this\n```"
    step = steps_of(run)[0]
    assert step.call and (step.call.tool, step.call.arguments) == (
        "write",
        {"path": "nav.py", "content": "import math\n"},
    )
    assert step.result and run.steps == 1
    assert resolve(run.root, step.call.ref) == b"nav.py\n```\nimport math\n```"

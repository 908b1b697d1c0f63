"""What a person reads of the step that a rule names: how the symptom leads back to it, and what is quoted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.run_model import Outcome, Run
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, called, run_of, said

READ = Did("cat src/core.py", "def f(): ...")
SED = "sed -i '3s/a/b/' src/core.py"
EDIT, TEST_OK, TEST_BAD = Did(SED), Did("pytest", PASSED), Did("pytest", FAILED, 1)
SUBMIT, DONE = called("submit"), said("Done.")
SILENT = "(Bash completed with no output)"
HAND_IN = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
REFUSED = called(
    "str_replace_editor", "ERROR:\nNo replacement was performed", command="str_replace", path="/w/src/core.py"
)
LISTED = "-rw-r--r-- 1 root root 16512 Apr  1 13:22 main.db-wal"
TESTS = '"""What is wanted of shop.py, a line for each thing that was promised."""'
NOT_THERE = "Error: FileNotFoundError: [Errno 2] No such file or directory: 'src/shop.py'"
CHANGED = called("str_replace_editor", "shop.py was edited: OK", command="str_replace", path="/w/shop.py", old_str="1", new_str="2")  # fmt: skip


def wrote(path: str, content: str) -> Did:
    return called("Write", "File created", file_path=path, content=content)


def read(path: str, result: str) -> Did:
    return called("read_file", result, path=path)


class Told(NamedTuple):
    """A run, and what is told of it: the chain and the quotes, each with its step."""

    run: Run
    chain: Sequence[tuple[int, str]]
    quotes: Sequence[tuple[int, str]]


TOLD = {
    "check-failed": Told(
        run_of([READ, EDIT, TEST_BAD, READ, SUBMIT]),
        [
            (2, "Step 2 changed core.py; the last check of it failed, and it was left so"),
            (3, "the check fails: E assert 1 == 2"),
            (5, "the run ends without another change"),
        ],
        [(2, SED), (3, "E   assert 1 == 2")],
    ),
    "unjudged": Told(
        run_of([READ, EDIT, Did("ls", said="I couldn't reproduce the issue, but it should be right."), SUBMIT]),
        [
            (2, "Step 2 changed core.py, which the run says it could not verify"),
            (3, "the agent says: couldn't reproduce the issue"),
            (4, "the work is handed in"),
        ],
        [(2, SED), (3, "couldn't reproduce the issue")],
    ),
    "never tried": Told(
        run_of([wrote("/w/regex.txt", "[0-9]+\n"), said("Successfully done.")], task="Write regex.txt"),
        [
            (1, "Step 1 wrote regex.txt, which the task asks for; nothing was ever run to try it"),
            (2, "the work is handed in unchecked"),
        ],
        [(1, "/w/regex.txt"), (2, "Successfully done.")],
    ),
    "misplaced": Told(
        run_of([READ, wrote("/root/answer.txt", "42\n"), DONE], task="Write the word to /w/answer.txt"),
        [
            (2, "Step 2 wrote /root/answer.txt; the task asks for /w/answer.txt, which was never written"),
            (3, "the run ends, and answer.txt stands elsewhere"),
        ],
        [(2, "/root/answer.txt")],
    ),
    "not in the difference": Told(
        run_of([READ, EDIT, TEST_OK, Did(HAND_IN, "diff --git a/setup.py b/setup.py\n+x")]),
        [
            (2, "Step 2 edited core.py, and what was handed in holds no change of it: the edit had no effect"),
            (4, "the difference holds setup.py, not core.py"),
        ],
        [(2, SED), (4, "diff --git a/setup.py b/setup.py")],
    ),
    "refused": Told(
        run_of([READ, REFUSED, Did("ls"), SUBMIT]),
        [
            (
                2,
                "Step 2 tried to change the work, and the tool did not do it; no change of the work itself was handed in",
            ),
            (4, "the work is handed in as done"),
        ],
        [(2, "str_replace"), (2, "No replacement was performed")],
    ),
    "taken back": Told(
        run_of([EDIT, TEST_BAD, Did("git checkout src/core.py"), SUBMIT]),
        [
            (1, "an edit that is lost"),
            (3, "Step 3 took back every edit of the work, and none came after it"),
        ],
        [(3, "git checkout src/core.py")],
    ),
    "broken-file": Told(
        run_of([wrote("/w/run.py", f"{text}a = 1\n") for text in ("", ">", ">")] + [DONE], task="Write run.py"),
        [
            (2, "Step 2 wrote run.py such that it cannot be read (line 1, a stray prefix: >a = 1), and so it was left"),
            (3, "run.py is written again, broken as before"),
        ],
        [(2, ">a = 1"), (2, "/w/run.py")],
    ),
    "lost-input": Told(
        run_of(
            [
                Did("ls -la", LISTED),
                Did('sqlite3 main.db "select 1"', "1"),
                Did("date", "now"),
                Did("xxd main.db-wal", "xxd: main.db-wal: No such file or directory", 1),
            ]
        ),
        [
            (2, "main.db-wal is there at step 1 and gone at step 4: step 2 lies between and touches it"),
            (4, "the file is missing: main.db-wal: No such file or directory"),
        ],
        [(1, "main.db-wal"), (2, 'sqlite3 main.db "select 1"'), (4, "main.db-wal: No such file or directory")],
    ),
    "swallowed": Told(
        run_of([READ, Did(": pip install pexpect", SILENT), Did(": echo hi", SILENT), Did(": ls", SILENT), DONE]),
        [
            (
                2,
                "Step 2 did nothing (: pip install pexpect): a stray prefix precedes the command; it was taken for done",
            ),
            (3, "nothing is done either: : echo hi"),
            (4, "nothing is done either: : ls"),
        ],
        [(2, ": pip install pexpect"), (2, SILENT)],
    ),
    "invented": Told(
        run_of([said("I plan."), said("I will simulate a search in the archive."), said("It is 7.")]),
        [(2, "Step 2 answers without having looked anything up"), (3, "the answer is given")],
        [(2, "I will simulate a"), (3, "It is 7.")],
    ),
    "looping": Told(
        run_of([READ, *[Did("cat x.py", "cat: x.py: Permission denied", 1)] * 4], outcome=Outcome("limit", "cost")),
        [
            (
                2,
                "From step 2 to 5 the run repeats itself: The same call returned the same result 4 times, with no change between",
            ),
            (5, "and once more"),
        ],
        [(2, "cat x.py"), (2, "cat: x.py: Permission denied"), (5, "cat x.py")],
    ),
    "shifted-results": Told(
        run_of([read("src/shop.py", NOT_THERE), read("shop.py", NOT_THERE), CHANGED, TEST_BAD, DONE]),
        [
            (2, "Step 2 got the result of step 1 once more: it speaks of src/shop.py"),
            (4, "the check fails: E assert 1 == 2"),
        ],
        [(2, "shop.py"), (2, "src/shop.py")],
    ),
    "swallowed-error": Told(
        run_of([read("shop.py", ""), said("The file is empty. All done.")]),
        [(1, "Step 1 read shop.py and got nothing, which was taken for its text"), (2, "the work ends there")],
        [(1, "shop.py"), (2, "The file is empty. All done.")],
    ),
    "unfilled-prompt": Told(
        run_of([said("What shall I do?")], task="{task}"),
        [(1, "The prompt still holds {task}: the model was never told what to do")],
        [(0, "{task}"), (1, "What shall I do?")],
    ),
    "elsewhere": Told(
        run_of(
            [
                read("test_shop.py", TESTS),
                CHANGED,
                Did("python -m unittest test_shop", "ModuleNotFoundError: No module named 'test_shop'", 1),
                DONE,
            ]
        ),
        [(3, "Step 3 does not find test_shop, which step 1 has read: it ran in another directory")],
        [(3, "python -m unittest test_shop"), (3, "No module named 'test_shop'"), (1, TESTS)],
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_the_chain_leads_from_the_named_step_to_the_symptom(name: str):
    onset = analyse(TOLD[name].run).finding.onset
    assert onset is not None
    assert [(link.step, link.text) for link in onset.chain] == TOLD[name].chain


@pytest.mark.parametrize("name", TOLD)
def test_the_quotes_are_the_words_that_show_it(name: str):
    onset = analyse(TOLD[name].run).finding.onset
    assert onset is not None
    assert [(evidence.step, evidence.quote) for evidence in onset.evidence] == TOLD[name].quotes

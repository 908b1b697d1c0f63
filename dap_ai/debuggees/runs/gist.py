"""Short forms of recorded texts: a task without the harness's preamble, an output without its wrapper tags."""

from __future__ import annotations

import re

from dap_ai.debuggees.runs.run_model import Run

_LOOKED_AT = 8_000
_BEFORE_TASKS = re.compile(
    r"(?:\A|\n)\s*(?:"
    r"ISSUE:|Task Description:|\# Problem Statement|(?:Please )?solve this issue:|\*\*Original Task:\*\*"
    r"|<pr_description>(?:\s*Consider the following PR description:)?|<(?:issue_description|problem_statement|task)>"
    r")\s*",
    re.IGNORECASE,
)
"""Matches the text that precedes the task itself in the prompts of known harnesses."""
_AFTER_TASKS = re.compile(r"\s*(?:</(?:pr_description|issue_description|problem_statement|task)>|\n\s*INSTRUCTIONS:)")
_WRAPPING = re.compile(
    r"</?(?:output|returncode|warning|output_head|output_tail|stdout|stderr|system-reminder)[^<>]{0,40}>"
    r"|^\(\w+ completed with no output\)$",
    re.MULTILINE,
)
_RETURNED = re.compile(r"\A\s*<returncode>-?\d+</returncode>\s*")


def task_of(task: str) -> str:
    """Return a task without the preamble that its harness gives to every agent; an empty task stays empty."""
    looked = task[:_LOOKED_AT]
    if (found := _BEFORE_TASKS.search(looked)) is None or not looked[found.end() :].strip():
        return task
    return _AFTER_TASKS.split(task[found.end() :], maxsplit=1)[0]


def name_of(run: Run) -> str:
    """Return a run's display name: its task or, without one, its file name."""
    if task := task_of(run.task).strip():
        return task
    file = run.root.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return f"{file} (its task is not recorded)" if file else "run"


def unwrapped(text: str) -> str:
    """Return an output without the tags and the return code that the agent's harness adds."""
    return _WRAPPING.sub("", _RETURNED.sub("", text))

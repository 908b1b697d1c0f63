"""Finds fake results: placeholders, and results that a script invents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite, Pattern
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory
from dap_ai.debuggees.runs.analysis.rule_tables import find_words, line_with

_MAX_RESULT = 4_000
"""Maximum characters of a file that counts as a result and not as a program."""
_TRIAL = re.compile(r"repro|test|debug|check|verif|demo|issue|bug", re.IGNORECASE)
"""Matches names of scripts that only try something out. Invented data in such a script is not a result."""
_HEAD = 800
"""Number of characters at the start of a script in which the script states its purpose."""


def invented_result(story: RunStory) -> Iterator[Pattern]:
    """Finds an executed script that says it invents results, unless the task asks for invented data."""
    if find_words("invention_asked", story.run.task[:100_000]):
        return
    made: dict[str, tuple[int, str]] = {}
    for effect, _step in story.done():
        for path in effect.executes:
            if path in made:
                step, line = made.pop(path)
                text = f"{paths.name(path)}, which makes up results by its own words, was written and run"
                yield Pattern("placeholder-result", [step, effect.step], text, line)
        for write in effect.writes:
            line = _says_invented(write)
            if line and write.role != "test":
                made[write.path] = (effect.step, line)
            elif write.how in {"create", "delete"}:
                made.pop(write.path, None)


def _says_invented(write: FileWrite) -> str:
    """Return the line in which a script states that it invents results; empty if the script does not."""
    if write.how != "create" or not write.new or _TRIAL.search(paths.name(write.path)):
        return ""
    return line_with("invented", write.new[:_HEAD].split("\n"))[:200]


def placeholder_result(story: RunStory) -> Iterator[Pattern]:
    """Finds a file that the task asks for and in which the agent left a placeholder."""
    last = {write.path: (effect.step, write) for effect, write in story.edits}
    for path, (step, write) in last.items():
        text = write.new
        if write.how != "create" or text is None or len(text) > _MAX_RESULT or not story.files.in_task(path):
            continue
        line = "" if find_words("code_suffixes", path) else line_with("placeholders", text.split("\n"))
        if line:
            said = f"{paths.name(path)}, which the task asks for, was written with a placeholder"
            yield Pattern("placeholder-result", [step], said, line[:200])

"""Findings about failed tests, and their output at the end of the run: a summary, a patch and lines of JSON.

A finding has plain values only, because pytest's report carries it between processes. Its texts are names and places in
code, or texts that the answering process has masked; the type `Safe` lets pyright reject other texts.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

from dap_ai.debuggees.python.hosts.answer_process import AskEndedBody, named
from dap_ai.debuggees.python.hosts.testing.guest import Faults
from dap_ai.debuggees.python.hosts.testing.patch import patch_of
from dap_ai.debuggees.python.hosts.testing.plugin import SHORT
from dap_ai.system.user_code import is_user_path

if TYPE_CHECKING:
    from dap_ai.protocol.wire.safe import Safe

UNMASKED = "not masked, since there was no answer"
SAME = "the same exception at the same line was answered above"
_MAX_FRAMES = 50
_CERTAINTIES = {"proved": "sure", "guess": "guess"}


class FrameRow(TypedDict):
    """A frame's file, line and function."""

    file: Safe
    line: int
    function: Safe


class ExceptionFields(TypedDict):
    """An exception's type and masked message.

    If the message was not masked, it is empty and `withheld` is the reason.
    """

    type: Safe
    message: Safe
    withheld: Safe


class Claims(TypedDict):
    """The cause that an answer claims, and the state of its fix."""

    root_cause: Safe
    verified: bool
    recommended: bool
    guess: bool


class Where(TypedDict):
    """Where a test failed. `stopped`: the innermost frame of the user's code; `frames`: innermost first."""

    exception: ExceptionFields
    stopped: FrameRow
    frames: list[FrameRow]


class AnswerFields(TypedDict):
    """A finding's fields from an answer. `suspects`: `path:line` strings; `diff`: the fix shown, or an empty string."""

    answer: Safe
    suspects: list[Safe]
    claims: Claims
    diff: Safe
    complete: bool


class FailureFinding(Where, AnswerFields):
    """All facts about one failure, filled in step by step. `text` is the answer as shown."""

    nodeid: Safe
    when: Safe
    text: Safe
    context: Safe
    error: Safe
    """The reason why the failure has no answer."""
    seconds: float


def where(exc: BaseException, frames: Sequence[Any]) -> Where:
    """Returns the frames and the exception type of a failure that is paused for questions."""
    rows = [_row(held.frame.f_code.co_filename, held.line, held.name) for held in frames[:_MAX_FRAMES]]
    own = [row for row in rows if is_user_path(row["file"])]
    if isinstance(exc, SyntaxError) and exc.filename and not own:  # code that does not compile has no frame
        own = [_row(exc.filename, exc.lineno or 1, "<module>")]
    return {
        "exception": {"type": named(type(exc).__name__), "message": "", "withheld": UNMASKED},
        "stopped": (own or rows or [_row("", 0, "")])[0],
        "frames": rows,
    }


def _row(file: str, line: int, function: str) -> FrameRow:
    return {"file": named(file), "line": line, "function": named(function)}


def answer_fields(ended: AskEndedBody) -> AnswerFields:
    """Returns the fields of a finding that come from an answer."""
    fixes, cause = ended["fixes"], ended.get("report", {}).get("cause")
    shown = next((fix for fix in fixes if fix["verified"]), fixes[0] if fixes else None)
    return {
        "answer": ended["answer"],
        "suspects": [named(f"{suspect['file']}:{suspect['line']}") for suspect in ended["suspects"]],
        "claims": {
            "root_cause": named(_CERTAINTIES[cause["certainty"]] if cause else "none"),
            "verified": bool(shown and shown["verified"]),
            "recommended": shown is not None,
            "guess": bool(shown and shown.get("isFoundBySearch")),
        },
        "diff": shown["diff"] if shown else "",
        "complete": ended["reason"] == "completed",
    }


class Findings:
    """Pytest hooks of the process that reports results: collects findings and writes the summary."""

    def __init__(self, config: pytest.Config, faults: Faults) -> None:
        self._faults = faults
        option = config.option
        self._root = config.rootpath
        self._found: list[FailureFinding] = []
        self._json = open_new(config, option.ask_json) if option.ask_json else None
        self._patch = str(config.invocation_params.dir / option.ask_fix) if option.ask_fix else None
        self._is_shown = option.tbstyle != "no" and option.showcapture == "all"
        self._is_short = option.ask in (None, SHORT)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Collects the finding in the report of a test's phase."""
        with self._faults.kept("write what was found"):
            self._note(report)

    def pytest_collectreport(self, report: Any) -> None:
        """Collects the finding in the report of a module's collection."""
        with self._faults.kept("write what was found"):
            self._note(report)

    def _note(self, report: Any) -> None:
        found: FailureFinding | None = getattr(report, "dap_ai", None)
        if found is None:
            return
        self._found.append(found)
        if self._json:
            shown = {key: value for key, value in found.items() if key != "text"}
            _write(self._json, json.dumps(shown, ensure_ascii=False) + "\n", "a")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Writes the number of answers and the reasons for missing answers.

        Writes the answers as well, if pytest's options hide them in the reports.
        """
        if self._found or self._faults.lines():
            terminalreporter.section("why (dap-ai)", sep="=")
        with self._faults.kept("write the summary"):
            if not self._is_shown:
                self._show(terminalreporter)
            for line in self._summary() if self._found else ():
                terminalreporter.write_line(line)
        for line in self._faults.lines():
            terminalreporter.write_line(line)

    def _show(self, terminalreporter: Any) -> None:
        for found in self._found:
            if found.get("text"):
                terminalreporter.write_sep("_", found["nodeid"])
                terminalreporter.write_line(found["text"])

    def _summary(self) -> list[str]:
        answered = [found for found in self._found if "answer" in found]
        seconds = sum(found["seconds"] for found in self._found)
        lines = [
            f"{_counted(len(answered), 'failure')} answered in {seconds:.1f} s, offline: nothing left this machine."
        ]
        left = Counter(found["error"] for found in self._found if found.get("error"))
        lines += [f"{_counted(count, 'failure')} left out: {why}." for why, count in left.items()]
        if late := sum(not found["complete"] for found in answered):
            lines.append(f"{_counted(late, 'answer')} cut short by the time for each: --ask-time SECONDS.")
        lines += self._written() if self._patch else []
        if answered and self._is_short and not self._patch:
            lines.append("All that was found: --ask=full. To look yourself: --ask=stop.")
        return lines

    def _written(self) -> list[str]:
        """Writes the patch and returns lines about it; removes an old patch if no fix was verified."""
        assert self._patch is not None  # noqa: S101  see its caller
        patch = patch_of(self._found)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._patch)  # noqa: PTH108  see _write
        if not patch.fixes:
            return ["No fix was verified: no patch was written."]
        _write(self._patch, patch.text, "w")
        fixes = _counted(patch.fixes, "verified fix", "verified fixes")
        lines = [f"{fixes} in {self._patch}, nothing was changed. Look at each, then, in {self._root}: git apply FILE"]
        if patch.left_out:
            lines.append(f"{_counted(patch.left_out, 'fix', 'fixes')} left out: too near to another one.")
        return lines


def open_new(config: pytest.Config, name: str) -> str:
    """Creates an empty file that only its user may read, and returns its path. Raises UsageError."""
    path = str(config.invocation_params.dir / name)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode) and hasattr(os, "fchmod"):
                os.fchmod(fd, 0o600)
        finally:
            os.close(fd)
    except OSError as error:
        raise pytest.UsageError(f"--ask-json: {path} cannot be written to: {error.strerror}") from error
    return path


def _write(path: str, text: str, mode: str) -> None:
    """Writes a text file without `pathlib`, whose methods a test may have replaced."""
    with open(path, mode, encoding="utf-8") as file:  # noqa: PTH123  see above
        file.write(text)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"

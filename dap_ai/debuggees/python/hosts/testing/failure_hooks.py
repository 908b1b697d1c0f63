"""Asks about each failing test at the point of failure; its report gets a section with the answer.

If tests run in worker processes (xdist), each worker asks by itself, and its reports carry the findings.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

from dap_ai.debuggees.python.hosts import post_mortem_api
from dap_ai.debuggees.python.hosts.answer_process import LATE, TESTS, AnswerProcess, AskEndedBody, NoAnswerError, named
from dap_ai.debuggees.python.hosts.testing.aftermath import Aftermath
from dap_ai.debuggees.python.hosts.testing.doctests import NothingToStopAtError, asserted, renamed
from dap_ai.debuggees.python.hosts.testing.early_answers import Early
from dap_ai.debuggees.python.hosts.testing.failure_findings import (
    SAME,
    AnswerFields,
    Claims,
    ExceptionFields,
    FailureFinding,
    Findings,
    FrameRow,
    Where,
    answer_fields,
    where,
)
from dap_ai.debuggees.python.hosts.testing.failure_frames import FrameFilter, failed_with
from dap_ai.debuggees.python.hosts.testing.failure_prompt import FailurePrompt
from dap_ai.debuggees.python.hosts.testing.frameless import FailedPhase, frameless, traced
from dap_ai.debuggees.python.hosts.testing.guest import Faults
from dap_ai.debuggees.python.hosts.testing.patch import from_root
from dap_ai.debuggees.python.hosts.testing.plugin import FULL, STOP, TIME_S
from dap_ai.debuggees.python.hosts.testing.short_answer import short
from dap_ai.system.user_code import is_user_path

if TYPE_CHECKING:
    from dap_ai.protocol.wire.safe import Safe

SECTION = "why (dap-ai)"
OLDEST = "6.1"
_MOST_SLACK = 2.0
_SAME_PLACE = 3
"""Failures answered per line and exception type; further failures would get the same answer again."""
_DEMANDS = ("AssertionError", "Failed")
_CONTEXT_S = 10.0
"""Seconds for the first context (the prompt that a model would get), added to the answer's time."""
NO_TIME = "There was no time for more: --ask-time SECONDS."
_MAX_CALLS = 3
_MAX_CHARS = 160


def register(config: pytest.Config) -> None:
    """Registers the plugin's hooks according to pytest's options. Raises UsageError."""
    option = config.option
    if not hasattr(config, "rootpath"):
        raise pytest.UsageError(f"--ask needs pytest {OLDEST} or newer (this is {pytest.__version__}): run without it")
    if option.ask == STOP and (getattr(option, "numprocesses", None) or getattr(option, "dist", "no") != "no"):
        raise pytest.UsageError("--ask=stop holds one process: it cannot be combined with -n (use -n0)")
    if option.ask_time is not None and option.ask_time <= 0:
        raise pytest.UsageError("--ask-time: a number of seconds above 0 is wanted")
    try:
        command = getattr(option, "dap_ai_command", None)  # see onpath/dap_ai_pytest.py
        answerer = AnswerProcess(TESTS, json.loads(command) if command else ())
    except OSError as error:
        raise pytest.UsageError(f"--ask: {error}") from error
    faults = Faults()
    config.pluginmanager.register(FailureHooks(config, answerer, faults), "dap-ai-asking")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Findings(config, faults), "dap-ai-findings")


class FailureHooks:
    """Pytest hooks of the process that runs tests: asks about each failure and adds the answer to its report."""

    def __init__(self, config: pytest.Config, answerer: AnswerProcess, faults: Faults) -> None:
        self._config = config
        self._faults = faults
        self._answerer = answerer
        self._root = str(config.rootpath)
        self._answered: Counter[tuple[Any, ...]] = Counter()
        self._aftermath = Aftermath(self._root)
        self._mode, self._limit_s = config.option.ask, config.option.ask_time
        self._wants_context = bool(config.option.ask_json)
        self._stops = FailurePrompt(config)
        self._early = Early(self._ask_early)
        self._raises = post_mortem_api.watch_raises()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, None]:
        """Asks about an exception that ends a test case before the test's cleanup."""
        with self._faults.kept("look at a test before its cleanup"):
            self._early.watch(item)
        yield
        with self._faults.kept("look at a test before its cleanup"):
            self._early.unwatch()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Turns capturing of exceptions on again, in case the last test raised too many."""
        with self._faults.kept("watch for exceptions"):
            self._raises.resume()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, None]:
        """Asks about a failed phase after pytest has set its outcome; skips expected failures."""
        if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
            with self._faults.kept("start the process that answers"):
                self._answerer.start()  # takes a moment, while pytest makes its own report
        outcome = yield
        if call.excinfo is None or outcome.excinfo is not None:
            return
        with self._faults.kept("answer"):
            report = outcome.get_result()
            if report.when == "call":
                report.duration = max(0.0, report.duration - self._early.seconds)
            if report.outcome == "failed":
                if cancel := getattr(item.ihook, "pytest_timeout_cancel_timer", None):  # as pytest-timeout does later
                    cancel(item=item)
                self._ask(call.excinfo, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node: Any, call: pytest.CallInfo[Any], report: Any) -> None:
        """Asks about a module that cannot be collected; pauses the process if `--ask=stop` is set.

        With `--pdb` it shows the answer before pdb starts.
        """
        if call.excinfo is None or report.outcome != "failed":
            return
        with self._faults.kept("answer"):
            if isinstance(node, pytest.Collector):
                self._ask(call.excinfo, report)
            if self._mode == STOP:
                if not self._early.was_asked_early(call.excinfo.value):
                    self._stops.hold(failed_with(call.excinfo.value), _found_in(report))
            elif self._config.option.usepdb:
                self._stops.show(_found_in(report))

    def pytest_unconfigure(self) -> None:
        """Ends the answering process, and stops capturing exceptions."""
        with self._faults.kept("watch for exceptions"):
            self._raises.end()
        with self._faults.kept("end the process that answers"):
            self._answerer.close()

    def _ask(self, excinfo: pytest.ExceptionInfo[Any], report: Any) -> None:
        found = self._early.found(excinfo.value)
        if found is None:
            with traced(excinfo) as exc:
                found = self._found(exc, FailedPhase.reported(report))
        report.dap_ai = found
        if text := found.get("text"):
            report.sections.append((SECTION, text))

    def _ask_early(self, exc: BaseException, item: pytest.Item) -> FailureFinding:
        """Asks about an exception before the test's cleanup.

        An error in dap_ai is counted and leaves the finding incomplete.
        """
        found = cast("FailureFinding", {})
        with self._faults.kept("answer"):
            found = self._found(exc, FailedPhase(item.nodeid, "call", item.location))
            if self._mode == STOP:
                self._stops.hold(failed_with(exc), found)
        return found

    def _found(self, exc: BaseException, failing: FailedPhase) -> FailureFinding:
        """Returns the finding of a failure; if dap_ai fails, the finding has `error` instead of an answer."""
        found = cast("FailureFinding", {})
        found["nodeid"], found["when"] = named(failing.nodeid), named(failing.when)
        began = time.monotonic()
        try:
            self._find(failed_with(exc), found, failing)
        except NoAnswerError as error:
            found["error"] = error.why
        except Exception as error:  # noqa: BLE001  a boundary: the test run continues
            found["error"] = "dap_ai has failed: " + named(type(error).__name__)  # its text may quote any value
        found.setdefault("seconds", round(time.monotonic() - began, 3))
        return found

    def _find(self, exc: BaseException, found: FailureFinding, failing: FailedPhase) -> None:
        """Completes the finding of an exception; turns a failed doctest into a failed assertion.

        Raises NoAnswerError.
        """
        try:
            with asserted(exc) as failed:
                self._look(failed.exc, found, failing)
        except NothingToStopAtError as error:
            raise NoAnswerError(error.why) from error
        if failed.alias:
            found.update(renamed(found, failed.alias, failed.path))
            root = named(self._root + os.sep)
            for key in ("answer", "context", "text"):
                if key in found:
                    found[key] = found[key].replace(root, "")

    def _look(self, exc: BaseException, found: FailureFinding, failing: FailedPhase) -> None:
        """Asks about the exception and fills in the finding. Raises NoAnswerError."""
        began = time.monotonic()
        own = FrameFilter(exc, self._root)
        server = post_mortem_api.serving(exc, own, folder=self._root)  # a test may have changed the directory
        frames = server.stop.first.frames
        found.update(cast("FailureFinding", where(exc, frames)))
        if not any(own(each.frame) for each in frames) and not is_user_path(found["stopped"]["file"]):
            note_message(found, self._masked_message(server))
            found.update(cast("FailureFinding", frameless(found["exception"], failing, self._root)))
            return
        self._aftermath.note(found)
        if after := self._aftermath.teardown_fields(found):
            found.update(cast("FailureFinding", after))
            return
        place = place_of(found)
        self._answered[place] += 1
        if self._answered[place] > _SAME_PLACE and self._mode != FULL:
            raise NoAnswerError(SAME)
        try:
            ended = self._answerer.ask(server, self._limit_s or _by_load())
        except NoAnswerError as error:
            note_message(found, error.message)
            why = NO_TIME if error.why == LATE else "More is not known: " + error.why + "."
            found.update(cast("FailureFinding", known(found, why, self._root)))
            found["text"] = found["answer"]
            return
        finally:
            found["seconds"] = round(time.monotonic() - began, 3)
        self._tell(ended, found)
        if self._wants_context:
            found["context"] = self._answerer.ask(server, _CONTEXT_S, context=True)["answer"]

    def _masked_message(self, server: Any) -> Safe:
        """Returns the exception's message as masked by the answering process; empty without a reply."""
        try:
            return self._answerer.ask(server, self._limit_s or _by_load())["message"]
        except NoAnswerError as error:
            return error.message

    def _tell(self, ended: AskEndedBody, found: FailureFinding) -> None:
        note_message(found, ended["message"])
        for fix in ended["fixes"]:
            fix["diff"] = from_root(fix["diff"], fix["file"], self._root)
        found.update(cast("FailureFinding", answer_fields(ended)))
        found["text"] = ended["answer"] if self._mode == FULL else short(ended)
        if not found["complete"]:
            found["text"] += "\n" + NO_TIME


def _found_in(report: Any) -> FailureFinding:
    return cast("FailureFinding", getattr(report, "dap_ai", {}))


def note_message(found: Where, message: Safe) -> None:
    """Stores the exception's masked message in the finding; an empty message changes nothing."""
    if message:
        found["exception"] = {"type": found["exception"]["type"], "message": message, "withheld": ""}


def place_of(found: Where) -> tuple[Any, ...]:
    """Returns a key that is equal for failures with the same answer.

    A failed assertion's key has all user lines of the stack, because a helper's check may fail in many tests.
    """
    kind = found["exception"]["type"]
    rows = [row for row in found["frames"] if is_user_path(row["file"])] if kind in _DEMANDS else []
    return kind, *((row["file"], row["line"]) for row in rows or [found["stopped"]])


def _by_load() -> float:
    """Returns the default time limit in seconds, extended while the machine is busy."""
    wanted = os.getloadavg()[0] / (os.cpu_count() or 1)
    return TIME_S * min(max(1.0, wanted), _MOST_SLACK)


def known(found: Where, why: Safe, root: str) -> AnswerFields:
    """Returns the fields for a failure without an answer. `why`: a sentence that says why.

    The suspects are the positions of the user's frames, innermost first. Source lines are left out, because they may
    contain a secret and were not masked.
    """
    rows = [row for row in found["frames"] if is_user_path(row["file"])] or [found["stopped"]]
    text = "\n".join([*_lines(found["exception"], rows, root), why])
    claims: Claims = {"root_cause": "none", "verified": False, "recommended": False, "guess": False}
    places: list[Safe] = [named(f"{row['file']}:{row['line']}") for row in rows if row["file"]]
    return {"answer": text, "suspects": list(dict.fromkeys(places)), "claims": claims, "diff": "", "complete": False}


def _lines(exception: ExceptionFields, rows: list[FrameRow], root: str) -> Iterator[Safe]:
    """Yields lines that describe the failure. An assertion's message from pytest contains the compared values."""
    message = exception["message"].partition("\n")[0]
    said: Safe = ": " + message if message else ""
    words: Safe = exception["type"] + said
    yield "`" + words[:_MAX_CHARS] + "` " + _at(rows[0], root) + "."
    callers: list[Safe] = [_at(row, root) for row in rows[1 : 1 + _MAX_CALLS]]
    if callers:
        yield "Called " + ", which was called ".join(callers) + "."


def _at(row: FrameRow, root: str) -> Safe:
    file = row["file"]
    short = file[len(root) + 1 :] if file.startswith(root + os.sep) else file
    return "at `" + short + ":" + named(str(row["line"])) + "`, in `" + row["function"] + "`"

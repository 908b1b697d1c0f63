"""What a copy was refused is neither a result, nor a failed check, nor a refuted fix."""

from __future__ import annotations

from typing import Any

import pytest

from dap_ai.agent.tools.evaluate import evaluation_text
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT, CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.same_failure import SameFailure, not_arrived
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.contracts.snapshot_messages import RaisedException, SnapshotResult

READ = "a copy may not read data.txt"


class Check:
    words, whole, text = "the whole program", True, ""


def result(status: str, *refusals: str, error: str = "") -> SnapshotResult:
    raised = RaisedException(error.partition(":")[0]) if error else None
    value = None if error else Value(type="str", text="''", kind="data")
    return SnapshotResult(status, value=value, error=error, raised=raised, refusals=list(refusals))


@pytest.mark.parametrize(
    "outcome",
    [result("ok", "read data.txt"), result("raised", "read data.txt", error="KeyError: 'a'"), result("deadline", "read data.txt")],
)  # fmt: skip
def test_what_came_of_a_copy_that_was_refused_something_is_not_known(outcome: SnapshotResult):
    text = evaluation_text("f()", outcome)
    assert text.startswith(f"`f()` is not known: {READ} (")
    assert "KeyError" not in text


def test_a_check_that_was_refused_something_has_not_failed():
    case, check = FakeCase(), Check()
    refused = result("raised", "read data.txt", error="KeyError: 'a'")
    expected = f"what the whole program does is not known: {READ}"
    same: Any = SameFailure(case, object())  # type: ignore[arg-type]
    assert same.differs(check, refused) == expected
    assert same.differs_from_own(check, refused) == expected
    assert not_arrived(check, refused).endswith(f"is not known: {READ}")  # type: ignore[arg-type]
    assert "fails with `KeyError" in same.differs(check, result("raised", error="KeyError: 'a'"))


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ([], result("raised", "read data.txt", error="KeyError: 'a'"), CANNOT),
        ([], result("ok", "read data.txt"), CANNOT),
        (["read data.txt"], result("ok", "read data.txt"), "verified"),
        ([], result("ok"), "verified"),
        ([], result("raised", error="KeyError: 'a'"), "not verified"),
    ],
)
def test_a_fix_that_was_refused_more_than_the_run_without_it_is_neither_verified_nor_refuted(
    before: list[str], after: SnapshotResult, outcome: str
):
    check: Any = Check()
    nothing: Any = None
    runs = CheckRuns(nothing, nothing, None)
    made = runs._judge([], Control(check, result("raised", *before, error="KeyError: 'a'")), after, 1.0)
    assert made[0] == outcome
    assert (READ in made[1]) == bool(after.refusals)


class FakeCase:
    messages: tuple[str, ...] = ()

    class exception:  # noqa: N801  an ExceptionFacts
        type, message = "ValueError", "no"

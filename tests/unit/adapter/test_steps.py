"""Steps over the moments of a run: five lines of a module, the second of which calls a function of three lines."""

import pytest

from dap_ai.adapter.past.moment_steps import MomentPlace, MomentSteps
from dap_ai.protocol.contracts.repeatable_run import Recalled
from dap_ai.protocol.contracts.rewind_messages import Rewound
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery

LINES = [(0, 5, 1), (0, 6, 1), (1, 1, 2), (1, 2, 2), (1, 3, 2), (0, 7, 1), (0, 8, 1), (0, 9, 1)]
"""Code, line and calls of the moments 1 to 8; the program stands at the last."""


def steps(first: int = 1, *, within: bool = False, depth: int = 1) -> MomentSteps:
    flat = [part for line in LINES[first - 1 :] for part in line]
    codes = [("a.py", "<module>"), ("a.py", "called")]
    found = Rewound(len(LINES), first=first, steps=flat, codes=codes, depth=depth)
    return MomentSteps(Recalled(SnapshotQuery(1), "it", found, within=within))


@pytest.mark.parametrize(
    ("moment", "over", "into"), [(8, 7, 7), (6, 2, 5), (5, 4, 4), (3, 2, 2), (2, 1, 1), (1, None, None)]
)
def test_a_step_back_goes_over_calls_that_have_returned_or_into_them(moment: int, over: int, into: int) -> None:
    assert steps().back(moment, into=False) == over
    assert steps().back(moment, into=True) == into


@pytest.mark.parametrize(
    ("moment", "how", "after"),
    [(2, "next", 6), (2, "stepIn", 3), (4, "stepOut", 6), (5, "next", 6), (7, "next", 8), (4, "next", 5)],
)
def test_a_step_forward_goes_as_a_step_of_the_program(moment: int, how: str, after: int) -> None:
    assert steps().forward(moment, how) == after  # type: ignore[arg-type]


def test_a_step_out_of_the_outermost_call_leads_to_the_present() -> None:
    assert steps().forward(2, "stepOut") == steps().present == 8
    assert steps().most_calls(2, "stepOut") == 0


def test_from_within_a_line_the_first_step_back_leads_to_its_beginning() -> None:
    then = steps(within=True)
    assert (then.present, then.back(then.present, into=False)) == (9, 8)
    assert then.forward(8, "next") == 9


def test_after_the_return_of_a_call_a_step_back_goes_over_it_by_the_depth_of_the_present() -> None:
    flat = [part for line in LINES[:5] for part in line]
    codes = [("a.py", "<module>"), ("a.py", "called")]
    found = Rewound(5, steps=flat, codes=codes, depth=1)
    then = MomentSteps(Recalled(SnapshotQuery(1), "it", found, within=True))
    assert (then.back(6, into=False), then.back(6, into=True)) == (2, 5)


def test_what_lies_before_the_moments_that_are_kept_is_not_known() -> None:
    then = steps(first=4)
    assert [then.knows(moment) for moment in (3, 4, 8, 9)] == [False, True, True, False]
    assert then.back(6, into=False) is None
    assert then.spot(5) == MomentPlace("a.py", "called", 3)

"""When an exception was raised, known from the tracebacks that frames see."""

from __future__ import annotations

from dap_ai.debuggees.python.snapshots.runs.raises import Raises


class _Entry:
    def __init__(self, tb_next=None):
        self.tb_next = tb_next


def test_an_exception_on_its_way_keeps_the_position_of_its_raise():
    raises, error, innermost = Raises(), ValueError(), _Entry()
    raises.note(error, innermost, 3)
    raises.note(error, _Entry(innermost), 5)
    raises.note(error, _Entry(_Entry(innermost)), 8)
    assert raises.position(error) == 3


def test_another_one_with_the_same_id_has_its_own_position():
    raises, error = Raises(), ValueError()
    raises.note(error, _Entry(kept := _Entry()), 3)
    raises.note(error, _Entry(_Entry()), 7)
    assert raises.position(error) == 7
    raises.note(error, kept, 9)
    assert raises.position(error) == 9


def test_the_position_of_an_exception_that_no_frame_saw_is_not_known():
    assert Raises().position(ValueError()) is None

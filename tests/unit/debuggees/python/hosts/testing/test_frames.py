"""What a test has failed with, and whose the frames of it are."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from dap_ai.debuggees.python.hosts.testing.failure_frames import FrameFilter, failed_with


def raised(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001  whatever it is
        return error
    pytest.fail("it raised nothing")


def kept(exc, root="/nowhere"):
    own, names, tb = FrameFilter(exc, root), [], exc.__traceback__
    while tb is not None:
        names += [tb.tb_frame.f_code.co_name] if own(tb.tb_frame) else []
        tb = tb.tb_next
    return names


def test_frames_of_a_mock_are_left_out():
    def asserts():
        mock.Mock().save.assert_called_once()

    assert kept(raised(asserts))[-1] == "asserts"


def test_a_helper_that_hides_itself_is_left_out():
    def helper():
        __tracebackhide__ = True
        raise ValueError

    def calls():
        helper()

    assert kept(raised(calls))[-1] == "calls"


def test_what_called_the_first_frame_of_the_user_is_left_out():
    def made():
        raise ValueError

    assert kept(raised(lambda: [made() for _ in "x"]))[0] == "raised"


def test_what_lies_in_the_root_of_the_tests_is_the_users_be_it_a_runner():
    code = compile("def runs():\n    raise ValueError\n", "/src/pluggy/_hooks.py", "exec")
    names = {"__name__": "pluggy._hooks"}
    exec(code, names)  # noqa: S102  a module of another name
    exc = raised(names["runs"])
    assert kept(exc) == ["raised"]
    assert kept(exc, "/src") == ["raised", "runs"]


def test_a_module_that_cannot_be_collected_has_failed_with_its_cause():
    class CollectError(Exception):
        pass

    error = CollectError()
    error.__cause__ = ImportError()
    assert failed_with(error) is error.__cause__


def test_a_doctest_has_failed_with_what_it_raised():
    class UnexpectedException(Exception):  # noqa: N818  doctest's own name
        exc_info = (KeyError, KeyError(1), None)

    assert failed_with(UnexpectedException()) is UnexpectedException.exc_info[1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups")
def test_a_group_has_failed_with_the_first_member_that_was_raised():
    group: Any = builtins.ExceptionGroup  # pyright: ignore[reportAttributeAccessIssue]
    member = raised(lambda: {}["x"])
    inner = raised(lambda: (_ for _ in ()).throw(group("inner", [member])))
    assert failed_with(group("both", [ValueError(), inner])) is member


def test_what_is_no_exception_of_a_runner_is_what_has_failed():
    exc = ValueError(SimpleNamespace())
    assert failed_with(exc) is exc

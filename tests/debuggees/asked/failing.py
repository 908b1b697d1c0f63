"""Tests that fail, each in a way of its own; the name says where the failure is: in `mean`, in `first`, or here."""

import os
import subprocess
import sys
import time
import unittest
from unittest import mock

import pytest
import stats


def test_of_mean_by_assertion():
    assert stats.mean([1, 2, 3]) == 2


@pytest.mark.parametrize("n", [2, 3])
def test_of_mean_by_parameter(n):
    assert stats.mean([n] * n) == n


@pytest.fixture
def broken():
    return stats.first({"last": 1})


def test_in_first_by_set_up(broken):
    pass


@pytest.fixture
def torn():
    yield 1
    stats.mean([1])


def test_in_mean_by_tear_down(torn):
    pass


def test_here_did_not_raise():
    with pytest.raises(KeyError):
        stats.first({"first": 1})


def check(value):
    __tracebackhide__ = True
    if value != 2:
        pytest.fail("not two")


def test_here_by_a_helper_that_hides():
    check(3)


def test_fails_by_a_mock():
    m = mock.Mock()
    m.save(stats.first({"first": 3}))
    m.save.assert_called_once_with(4)


class ByUnittest(unittest.TestCase):
    def test_of_mean_by_equality(self):
        self.assertEqual(stats.mean([4, 4]), 4)


def test_here_after_what_was_caught(monkeypatch, tmp_path):
    os.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(time, "monotonic", lambda: 5.0)
    monkeypatch.setattr("builtins.open", None)
    monkeypatch.setattr(sys, "path", [])
    os.environ.get("NOT_SET")
    getattr(os, "not_there", None)
    try:
        stats.first({})
    except KeyError:
        pass
    rate = {"a": 1}.get("b")
    rate.bit_length()


def test_in_first_of_several():
    with mock.patch("os.getcwd"):
        stats.all_of([{"first": 1}, {}])


@pytest.mark.anyio
async def test_of_mean_awaited():
    assert stats.mean([2, 2]) == 2


def test_passes():
    with pytest.raises(KeyError):
        stats.first({})


@pytest.mark.xfail
def test_is_expected_to_fail():
    assert stats.mean([1, 2, 3]) == 2


@pytest.mark.skip
def test_is_skipped():
    pass


@pytest.fixture
def anyio_backend():
    return "asyncio"

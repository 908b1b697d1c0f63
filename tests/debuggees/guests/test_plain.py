import os
import subprocess
import sys
import warnings

import pytest
from odd import first
from stats import mean


def test_mean(capsys):
    print("said by the test")
    warnings.warn("a warning of the test", UserWarning)
    assert mean([1, 2, 3]) == 2


def test_a_file_that_warns_when_it_is_compiled(tmp_path):
    (tmp_path / "x").write_text("1")
    assert first(["a", "b"]) == "b"


@pytest.mark.xfail(reason="known")
def test_known():
    assert mean([1, 2, 3]) == 2


def test_passes():
    done = subprocess.run([sys.executable, "-c", "print(1)"], stdout=subprocess.PIPE)
    assert done.stdout == b"1\n"


@pytest.fixture
def broken():
    yield
    raise OSError("no end")


def test_ends_badly(broken):
    os.write(2, b"by its number\n")

import os
from pathlib import Path

from stats import mean


def test_mean_in_a_fake_file_system(fs):
    fs.create_file("/numbers", contents="1 2 3")
    xs = [int(word) for word in Path("/numbers").read_text().split()]
    assert mean(xs) == 2


def test_nothing_is_left(fs):
    assert os.listdir("/") == ["tmp"]

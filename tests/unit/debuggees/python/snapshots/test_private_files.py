"""Files that a copy keeps in memory, without the places of `os` that they take there."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.python.snapshots.files.private_files import PrivateTree
from dap_ai.debuggees.python.snapshots.files.private_opening import mode_of, opener_of


@pytest.fixture
def tree(tmp_path):
    """Of a folder on the disk, which has a folder `there` with a file `old`, and one of the copy's, `new`."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "old").write_text("old", encoding="utf-8")
    tree = PrivateTree(str(tmp_path))
    tree.add(str(tmp_path / "new"), None)
    return tree


@pytest.fixture
def opens(tree):
    return opener_of(tree, open)


def test_what_is_written_is_read_and_is_not_on_the_disk(tmp_path, opens):
    with opens(tmp_path / "new" / "a", "w", encoding="utf-8") as file:
        file.write("one\ntwo\n")
    with opens(tmp_path / "new" / "a", "ab") as file:
        file.write(b"3")
    with opens(tmp_path / "new" / "a", "r+b") as file:
        file.seek(1)
        file.write(b"NE")
    assert opens(tmp_path / "new" / "a", encoding="utf-8").readlines() == ["oNE\n", "two\n", "3"]
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_file_of_the_copys_hides_one_of_the_disk_which_stays_as_it_is(tmp_path, opens):
    with opens(tmp_path / "there" / "old", "w", encoding="utf-8") as file:
        file.write("new")
    assert opens(tmp_path / "there" / "old", encoding="utf-8").read() == "new"
    assert (tmp_path / "there" / "old").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("name", "mode", "error"),
    [
        ("new/none", "r", FileNotFoundError),
        ("new/none/a", "w", FileNotFoundError),
        ("new", "w", IsADirectoryError),
        ("there/old", "x", FileExistsError),
        ("there/old/a", "w", NotADirectoryError),
    ],
)
def test_errors_are_those_of_the_disk(tmp_path, opens, name, mode, error):
    with pytest.raises(error):
        opens(tmp_path / name, mode)


def test_what_is_on_the_disk_is_for_the_kernel_to_say(tmp_path, tree):
    asked = []
    opener_of(tree, lambda *arguments: asked.append(arguments[:2]))(tmp_path / "there" / "old", "a")
    assert asked == [(tmp_path / "there" / "old", "a")]


def test_what_lies_elsewhere_is_none_of_ours(tree):
    assert not tree.path("/etc/passwd")
    assert not tree.path(tree.root)
    assert not tree.path(tree.root + "/../other")


@pytest.mark.parametrize("mode", ["r", "r+", "w", "w+", "a", "x"])
def test_the_flags_of_a_descriptor_are_the_letters_of_open(mode):
    given = []
    tree = PrivateTree("/nowhere")
    opener_of(tree, lambda *_: None)("/nowhere/x", mode, opener=lambda _, flags: given.append(flags))
    assert mode_of(given[0]) == mode

"""Shell texts to their effects."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.analysis.analysis_model import STRENGTH
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.bounded_shell import MAX_OPEN, bounded
from dap_ai.debuggees.runs.analysis.command_lines.shell_effects import read_shell, text_of_command
from tests.unit.debuggees.runs.analysis.examples import ANY, CHANGES, OTHERS


@pytest.mark.parametrize(("text", "files"), CHANGES, ids=[text[:60] for text, _ in CHANGES])
def test_a_command_that_writes_is_a_change_of_the_files_it_names(text, files):
    seen = read_shell(text, "/w")
    assert seen.kind() == "change"
    if ANY in files:
        assert any(write.tree for write in seen.writes)
    else:
        assert tuple(dict.fromkeys(write.path for write in seen.writes)) == files


@pytest.mark.parametrize(("kind", "text"), OTHERS, ids=[text[:60] for _, text in OTHERS])
def test_a_command_that_writes_nothing_is_called_by_what_it_does(kind, text):
    assert read_shell(text, "/w").kind() == kind


def test_there_are_enough_examples_to_judge_by():
    assert len(CHANGES) >= 120
    assert len(CHANGES) + len(OTHERS) >= 250


def test_a_here_document_is_kept_as_the_files_content():
    [write] = read_shell("cat <<'EOF' > a.py\nx = '$HOME'\n  y\nEOF", "/w").writes
    assert (write.path, write.how, write.new) == ("/w/a.py", "create", "x = '$HOME'\n  y\n")


@pytest.mark.parametrize(
    ("cwd", "path", "joined"),
    [
        ("/w", "src/../a.py", "/w/a.py"),
        ("/w", "~/a.py", "~/a.py"),
        ("/w", "C:\\src\\a.py", "C:/src/a.py"),
        ("", "src\\a.py", "src\\a.py"),
        ("", ".", ""),
        ("/w", "", "/w"),
    ],
)
def test_a_path_is_joined_to_its_directory_unless_it_is_absolute(cwd: str, path: str, joined: str):
    assert paths.join(cwd, path) == joined


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/w/src/a.py", "src/a.py", True),
        ("src/a.py", "/w/src/a.py", True),
        ("a.py", "a.py", True),
        ("a.py", "src/a.py", False),
        ("src/a.py", "a.py", False),
        ("/w/data.py", "a.py", False),
        ("/w/src/a.py", "../a.py", False),
    ],
)
def test_only_an_absolute_path_may_be_the_same_as_a_relative_one(one: str, other: str, same: bool):
    assert paths.same(one, other) is same


def test_who_looks_for_the_words_that_hand_in_hands_nothing_in():
    words = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    assert [read_shell(f"{name} {words} notes.txt", "").kind() for name in ("echo", "grep")] == ["submit", "explore"]


def test_only_setup_py_builds_a_distribution():
    assert read_shell("python setup.py sdist", "").runners == ["build"]
    assert read_shell("python make.py sdist", "").runners == []


def test_a_patch_that_cannot_be_read_changes_the_file_it_is_for():
    assert [write.path for write in read_shell("patch a.py <<'E'\n3c3\n< a\nE", "/w").writes] == ["/w/a.py"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("ls -l", "ls -l"),
        (["bash", "-lc", "ls | wc"], "ls | wc"),
        (["bash", "run.sh", "it's x"], "bash run.sh 'it'\"'\"'s x'"),
        (["python", "-c", "1 + 1"], "python -c '1 + 1'"),
        ([], None),
        (3, None),
    ],
)
def test_a_command_of_words_is_one_text(command: object, text: str | None):
    assert text_of_command({"command": command}, ["command"]) == text


def test_a_file_that_git_moves_is_gone_from_its_old_place():
    writes = read_shell("git mv a.py b.py src/", "/w").writes
    assert [(write.path, write.how) for write in writes] == [
        ("/w/a.py", "delete"),
        ("/w/b.py", "delete"),
        ("/w/src", "move"),
    ]


def test_lines_that_sed_replaces_are_told():
    [write] = read_shell("sed -i '12,14c\\new' a.py", "").writes
    assert (write.path, write.how, write.lines) == ("a.py", "edit", (12, 14))


def test_what_a_check_prints_into_a_file_is_a_log():
    seen = read_shell("pytest -q 2>&1 > out.txt", "/w")
    assert [(write.path, write.how) for write in seen.writes] == [("/w/out.txt", "log")]


def test_a_subshell_keeps_its_directory_to_itself():
    seen = read_shell("(cd a && cat x); cat y; cd b; cat z", "/w")
    assert seen.reads == ["/w/a/x", "/w/y", "/w/b/z"]
    assert seen.cwd == "/w/b"


def test_a_command_in_the_background_is_told():
    assert read_shell("python server.py &", "").background
    assert read_shell("python server.py & curl localhost", "").background
    assert not read_shell("a && b", "").background


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (":", "the no-op `:`"),
        (": find the bug", "the no-op `:`"),
        ("", "an empty command"),
        (">ls", "a stray `>` before the command"),
    ],
)
def test_a_command_that_does_nothing_says_why(text, reason):
    assert read_shell(text, "/w").noop == reason


def test_text_that_no_shell_takes_is_still_read():
    seen = read_shell("echo 'unbalanced > x", "/w")
    assert seen.kind() in {"run", "explore", "change"}


def test_files_that_are_run_are_told():
    seen = read_shell("cd t && python a.py && ./b && bash c.sh", "/w")
    assert seen.executes == ["/w/t/a.py", "/w/t/b", "/w/t/c.sh"]


def test_here_documents_of_a_large_text_are_kept_whole_and_in_order():
    first, second = "a = 1\n" * 9_000, "<<EOF (\n" * 9_000
    text = f"cat > a.py <<'EOF'\n{first}EOF\ncd sub && cat <<-END > b.txt && python b.txt\n{second}\tEND\nrm c"
    seen = read_shell(text, "/w")
    assert [(write.path, write.how) for write in seen.writes] == [
        ("/w/a.py", "create"),
        ("/w/sub/b.txt", "create"),
        ("/w/sub/c", "delete"),
    ]
    assert [write.new for write in seen.writes[:2]] == [first, second]
    assert seen.executes == ["/w/sub/b.txt"]


def test_a_here_document_that_the_grammar_gets_lost_in_is_still_one_file():
    body = 'class Kind:\n    EOF = "end of input"\n\n\ndef f(self) -> None:\n    pass\n'
    seen = read_shell(f"cat <<'EOF' > a.py\n{body}EOF\npython a.py", "/w")
    assert [(write.path, write.new) for write in seen.writes] == [("/w/a.py", body)]
    assert seen.executes == ["/w/a.py"]


@pytest.mark.parametrize("opened", [60, 61, 200])
def test_a_text_is_cut_where_too_many_parentheses_are_open(opened):
    text, _ = bounded("(" * opened)
    assert len(text) == min(opened, MAX_OPEN)


def test_many_parentheses_one_after_another_are_no_depth():
    text = "(ls)\n" * 200
    assert bounded(text) == (text, [])


@pytest.mark.parametrize(
    "text",
    ["echo $(touch a)", "x=$(touch a)", 'echo "$(touch a)"', "cat <(touch a)", "echo `touch a`", "X=$(touch a) ls"],
)
def test_what_a_substitution_does_is_done(text):
    assert [write.path for write in read_shell(text, "/w").writes] == ["/w/a"]


@pytest.mark.parametrize(
    ("word", "content"),
    [
        (r"$'a\tb'", "a\tb\n"),
        (r"'a\tb'", "a\\tb\n"),
        (r'"a\"b"', 'a"b\n'),
        (r"a\ b", "a b\n"),
        ("x'y'\"z\"", "xyz\n"),
    ],
)
def test_quotes_are_read_as_the_shell_reads_them(word, content):
    [write] = read_shell(f"echo {word} > f", "/w").writes
    assert write.new == content


@pytest.mark.parametrize(
    "text",
    [
        "bash -c",
        "python -c",
        "python -m",
        "env",
        "xargs",
        "git -C",
        "perl -e",
        "sed",
        "tee",
        "cd",
        "find -exec",
        "sudo",
    ],
)
def test_a_command_that_lacks_its_arguments_is_read(text):
    assert read_shell(text, "/w").kind() in STRENGTH


def test_a_variable_that_the_text_sets_is_known_below_it():
    assert read_shell("D=sub; cat $D/a.py ${D}/b.py $E/c", "/w").reads[:2] == ["/w/sub/a.py", "/w/sub/b.py"]


def test_what_standard_error_gets_is_a_log():
    assert [(w.path, w.how) for w in read_shell("ls 2> err.txt >> out.txt", "/w").writes] == [
        ("/w/err.txt", "log"),
        ("/w/out.txt", "append"),
    ]


def test_a_copy_of_a_descriptor_and_a_device_are_no_file():
    assert read_shell("ls > /dev/null 2>&1", "/w").writes == []

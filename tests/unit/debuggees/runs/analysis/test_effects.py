"""What a step is in its run: given its result, and what was done before it."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from tests.unit.debuggees.runs.analysis.made import Did, analysed, called, run_of

EDIT = Did("sed -i '3s/a/b/' src/core.py")


def effects(*steps, **fields):
    return analysed(*steps, **fields).effects


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Did(",", "Exit code 127\n/bin/bash: line 1: ,: command not found", 127), "no command: ,"),
        (
            Did(
                "DISCUSSION\nFirst.",
                "bash: line 1: DISCUSSION: command not found\nbash: line 2: First.: command not found",
                127,
            ),
            "no command: DISCUSSION",
        ),
        (
            Did("echo 'x", "bash: -c: line 1: unexpected EOF while looking for matching `''", 2),
            "the shell could not read the command",
        ),
    ],
)
def test_a_call_of_which_the_shell_ran_nothing_says_so(step, reason):
    assert effects(step)[0].noop == reason


def test_a_checker_that_is_missing_is_a_call_all_the_same():
    assert effects(Did("pytest", "bash: pytest: command not found", 127))[0].noop == ""


def test_a_call_that_printed_something_else_has_run():
    assert effects(Did("frob; ls", "bash: frob: command not found\na b", 0))[0].noop == ""


def test_a_refused_call_has_the_tools_words_and_changes_nothing():
    refused = called(
        "Edit", "<tool_use_error>File has not been read yet.", file_path="/w/a.py", old_string="a", new_string="b"
    )
    [effect] = effects(refused)
    assert (effect.kind, effect.refused) == ("change", "<tool_use_error>File has not been read yet.")


def test_a_script_that_writes_what_it_reads_is_a_patch_and_names_the_file():
    script = "cat > fix.py <<'E'\ns = open('src/core.py').read()\nopen('src/core.py', 'w').write(s + 'x')\nE"
    last = effects(Did(script), Did("python fix.py"))[1]
    assert (last.kind, [write.path for write in last.writes]) == ("change", ["/w/src/core.py"])


def test_a_script_that_only_writes_a_picture_is_no_patch():
    script = "cat > plot.py <<'E'\nplt.savefig('a.png')\nE"
    assert list(effects(Did(script), Did("python plot.py"))[1].kinds) == ["verify"]


def test_code_that_names_the_changed_work_checks_it():
    assert effects(EDIT, Did("python -c 'import core; core.f()'"))[1].kind == "verify"
    assert effects(EDIT, Did("python -c 'print(1)'"))[1].kind == "run"


def test_the_program_under_work_checks_it():
    edit = Did("sed -i '3s/a/b/' frobnicator/main.py")
    assert effects(edit, Did("frobnicator --all"))[1].kind == "verify"
    assert effects(EDIT, Did("frobnicator --all"))[1].kind == "run"


def test_a_job_in_the_background_checks_nothing():
    assert effects(EDIT, Did("./serve.sh &"))[1].kind == "run"


def test_roles_of_files_are_told():
    task = "Write the result to out_test.txt"
    steps = [
        Did("echo x > out_test.txt"),
        Did("echo x > repro.py"),
        Did("echo x > /tmp/a.py"),
        Did("sed -i s/a/b/ tests/test_core.py"),
        EDIT,
        Did("echo x > helper.py"),
        Did("rm helper.py"),
    ]
    roles = [write.role for effect in effects(*steps, task=task) for write in effect.writes]
    assert roles == ["work", "scratch", "scratch", "test", "work", "scratch", "scratch"]


def test_a_directory_stays_from_call_to_call_where_the_shell_does():
    read = effects(Did("cd sub"), Did("cat a.py", "x"))[1]
    assert (read.cwd, read.reads) == ("/w/sub", ["/w/sub/a.py"])


def test_a_change_of_directory_that_failed_stays_where_it_was():
    assert effects(Did("cd sub", "bash: cd: sub: No such file or directory", 1), Did("cat a.py", "x"))[1].reads == [
        "/w/a.py"
    ]


def test_a_format_with_a_fresh_shell_a_call_starts_in_the_workspace_again():
    run = run_of([Did("cd sub"), Did("cat a.py", "x")])
    run.format = "mini-swe-agent"
    assert analyse(run).effects[1].reads == ["/w/a.py"]


def test_each_agent_has_a_directory_of_its_own():
    run = run_of([Did("cd sub"), Did("cat a.py", "x"), Did("cat b.py", "x")])
    for event in run.events:
        event.agent = "helper" if event.step == 2 else "main"
    assert [effect.reads for effect in analyse(run).effects] == [[], ["/w/a.py"], ["/w/sub/b.py"]]


def test_an_edit_by_line_numbers_is_of_the_file_that_was_opened():
    run = run_of([Did("open src/a.py 12", "[File: /w/src/a.py]"), Did("ls"), Did("edit 3:4\nx = 1\nend_of_edit", "ok")])
    run.format = "swe-agent"
    assert [write.path for write in analyse(run).effects[2].writes] == ["/w/src/a.py"]


def test_a_shell_that_could_not_read_the_command_ran_nothing_of_it():
    broken = Did("cat > a.py <<'E'\n'", "bash: -c: line 1: syntax error near unexpected token `('", 2)
    assert effects(broken)[0].noop == "the shell could not read the command"


def test_a_result_that_is_read_back_before_it_was_written_is_only_read():
    look, write = Did("cat answer.txt", "x"), Did("echo x > answer.txt")
    assert [effect.kind for effect in effects(look, task="Write answer.txt")] == ["explore"]
    assert [effect.kind for effect in effects(write, look, task="Write answer.txt")] == ["change", "verify"]


def test_a_script_that_was_removed_patches_nothing():
    script = "cat > fix.py <<'E'\ns = open('src/core.py').read()\nopen('src/core.py', 'w').write(s + 'x')\nE"
    assert "change" not in effects(Did(script), Did("rm fix.py"), Did("python fix.py"))[2].kinds


def test_a_check_before_the_work_was_changed_is_a_run():
    assert effects(Did("python -c 'import core; core.f()'"))[0].kind == "run"

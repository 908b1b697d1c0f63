"""Calls of tools that are no shell, patches, and code, to what they do."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.analysis.call_effects import Context, read_call
from dap_ai.debuggees.runs.analysis.command_lines.inline_code import read_code
from dap_ai.debuggees.runs.analysis.command_lines.patches import writes_of_patch
from dap_ai.debuggees.runs.run_model import Event, Ref

PATCH = "*** Begin Patch\n*** Update File: src/m.py\n@@\n ctx\n-old\n+new\n*** Add File: n.py\n+one\n+two\n*** Delete File: o.py\n*** End Patch"
DIFF = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -3,2 +3,2 @@ def f():\n same\n-old\n+new\n--- /dev/null\n+++ b/y.py\n@@ -0,0 +1 @@\n+y\n"


def call(tool, text="", /, **arguments):
    return Event(0, "call", Ref(), tool=tool, text=text, arguments=arguments)


def done(event, cwd="/w", opened="", *, swe_agent=False):
    seen = read_call(event, Context(cwd, opened), swe_agent=swe_agent)
    return seen.kind(), [(write.path, write.how) for write in seen.writes], seen.reads


TOOLS = [
    (call("Read", file_path="/a/b.py"), ("explore", [], ["/a/b.py"])),
    (call("Write", file_path="/a/b.py", content="x"), ("change", [("/a/b.py", "create")], [])),
    (call("Edit", file_path="b.py", old_string="a", new_string="b"), ("change", [("/w/b.py", "edit")], [])),
    (
        call("MultiEdit", file_path="/b", edits=[{"old_string": "a", "new_string": "b"}] * 2),
        ("change", [("/b", "edit")] * 2, []),
    ),
    (call("Glob", pattern="*"), ("explore", [], [])),
    (call("TodoWrite", todos=[]), ("message", [], [])),
    (call("BashOutput", bash_id="1"), ("explore", [], [])),
    (call("KillShell", shell_id="1"), ("run", [], [])),
    (call("str_replace_editor", command="view", path="/a"), ("explore", [], ["/a"])),
    (call("str_replace_editor", command="create", path="/a", file_text="x"), ("change", [("/a", "create")], [])),
    (
        call("str_replace_editor", command="str_replace", path="/a", old_str="x", new_str="y"),
        ("change", [("/a", "edit")], []),
    ),
    (
        call("str_replace_editor", command="insert", path="/a", insert_line=3, new_str="y"),
        ("change", [("/a", "edit")], []),
    ),
    (call("str_replace_editor", command="undo_edit", path="/a"), ("change", [("/a", "restore")], [])),
    (call("str_replace_based_edit_tool", command="view", path="/a"), ("explore", [], ["/a"])),
    (
        call("apply_patch", input=PATCH),
        ("change", [("/w/src/m.py", "edit"), ("/w/n.py", "create"), ("/w/o.py", "delete")], []),
    ),
    (
        call("shell", command=["apply_patch", PATCH]),
        ("change", [("/w/src/m.py", "edit"), ("/w/n.py", "create"), ("/w/o.py", "delete")], []),
    ),
    (call("shell", command=["bash", "-lc", "echo hi > y"]), ("change", [("/w/y", "create")], [])),
    (call("exec_command", cmd="ls a"), ("explore", [], ["/w/a"])),
    (call("bash_command", keystrokes="cat x\n"), ("explore", [], ["/w/x"])),
    (call("execute_ipython_cell", code="open('a', 'w').write('b')"), ("change", [("/w/a", "create")], [])),
    (call("run_ipython", code="open_file('/w/a.css')"), ("explore", [], ["/w/a.css"])),
    (
        call("run_ipython", code="edit_file_by_replace(\n'/w/a.css',\nto_replace='x',\nnew_content='''y''')"),
        ("change", [("/w/a.css", "edit")], []),
    ),
    (call("finish", outputs={}), ("submit", [], [])),
    (call("think", thought="x"), ("message", [], [])),
    (call("final_answer", answer="x"), ("submit", [], [])),
    (call("web_search", query="x"), ("explore", [], [])),
    (call("mcp__files__read_file", path="/x"), ("explore", [], ["/x"])),
    (call("frobnicate", level=3), ("run", [], [])),
]


@pytest.mark.parametrize(
    ("event", "expected"), TOOLS, ids=[f"{event.tool} {event.arguments}"[:50] for event, _ in TOOLS]
)
def test_a_tool_does_what_its_schema_says(event, expected):
    assert done(event) == expected


SWE = [
    ("open src/a.py 12", ("explore", [], ["/w/src/a.py"])),
    ("goto 30", ("explore", [], ["/w/open.py"])),
    ("scroll_down", ("explore", [], ["/w/open.py"])),
    ('search_dir "x"', ("explore", [], [])),
    ("create new.py", ("change", [("/w/new.py", "create")], [])),
    ("edit 3:4\nx = 1\nend_of_edit", ("change", [("/w/open.py", "edit")], [])),
    ("edit 'a' 'b'", ("change", [("/w/open.py", "edit")], [])),
    ("submit", ("submit", [], [])),
    ("exit_cost", ("submit", [], [])),
    ("python a.py", ("run", [], [])),
]


@pytest.mark.parametrize(("text", "expected"), SWE, ids=[text[:20] for text, _ in SWE])
def test_swe_agents_commands_are_known(text, expected):
    assert done(call("bash", text, command=text), opened="/w/open.py", swe_agent=True) == expected


def test_an_edit_of_lines_keeps_its_range_and_text():
    [write] = read_call(
        call("bash", command="edit 3:4\nx = 1\nend_of_edit"), Context("/w", "/w/a.py"), swe_agent=True
    ).writes
    assert (write.lines, write.new) == ((3, 4), "x = 1")


def test_a_patch_is_read_hunk_by_hunk():
    [one, two, three] = writes_of_patch(PATCH)
    assert (one.old, one.new) == ("ctx\nold", "ctx\nnew")
    assert (two.how, two.new) == ("create", "one\ntwo")
    assert three.how == "delete"


def test_a_unified_diff_is_read_hunk_by_hunk():
    [one, two] = writes_of_patch(DIFF)
    assert (one.path, one.how, one.lines, one.old, one.new) == ("x.py", "edit", (3, 4), "same\nold", "same\nnew")
    assert (two.path, two.how, two.new) == ("y.py", "create", "y\n") or (two.path, two.how) == ("y.py", "create")


def test_text_that_is_no_patch_gives_no_writes():
    assert not list(writes_of_patch("hello\n@@ nothing @@\n"))


CODE = [
    ("open('a.txt', 'w').write('x')", ["a.txt"]),
    ("with open('a.txt', mode='a', encoding='utf-8') as f: pass", ["a.txt"]),
    ("p = 'src/m.py'\nopen(p, 'w')", ["src/m.py"]),
    ("from pathlib import Path\np = Path('m.py')\np.write_text('x')", ["m.py"]),
    ("open('a.txt').read()", []),
    ("open('a.bin', 'rb')", []),
    ("df.to_csv('o.csv')", ["o.csv"]),
    ("plt.savefig('p.png')", ["p.png"]),
    ("os.remove('x')", ["x"]),
    ("fs.writeFileSync('a.js', x)", ["a.js"]),
    ("print('open(x, w)')", []),
    ("reopen('a', 'w')", []),
]


@pytest.mark.parametrize(("code", "files"), CODE, ids=[code[:40] for code, _ in CODE])
def test_files_that_code_plainly_writes_are_found(code, files):
    assert [write.path for write in read_code(code).writes] == files


@pytest.mark.parametrize(
    "code", ["open(name, 'w')", "shutil.copy(a, b)", "conn.execute('INSERT INTO t VALUES (1)')", "os.makedirs(d)"]
)
def test_code_that_writes_files_without_names_changes_something(code):
    seen = read_code(code)
    assert seen.changes
    assert not seen.writes


@pytest.mark.parametrize("code", ["import numpy; print(numpy.__version__)", "import sys\nprint(sys.version)"])
def test_code_that_only_asks_for_versions_is_a_probe(code):
    assert read_code(code).probe


def test_code_that_computes_is_no_probe():
    assert not read_code("import numpy; print(numpy.zeros(3))").probe


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "/a"}, ("explore", [], ["/a"])),
        ({"path": "/a", "file_text": "x"}, ("change", [("/a", "create")], [])),
        ({"path": "/a", "old_str": "x", "new_str": "y"}, ("change", [("/a", "edit")], [])),
    ],
)
def test_an_editor_whose_command_was_not_kept_is_known_by_its_fields(arguments, expected):
    assert done(call("str_replace_editor", **arguments)) == expected


def test_an_edit_of_a_range_replaces_its_lines():
    [part] = read_call(call("edit", path="a.py", content="x", start=3, end=5), Context("/w")).writes
    [whole] = read_call(call("edit", path="a.py", content="x", start=1, end=-1), Context("/w")).writes
    assert (part.how, part.lines, part.new) == ("edit", (3, 5), "x")
    assert (whole.how, whole.lines, whole.new) == ("create", None, "x")


def test_a_line_is_inserted_where_the_call_says():
    [write] = read_call(
        call("str_replace_editor", command="insert", path="/a", insert_line=3, new_str="y"), Context()
    ).writes
    assert (write.lines, write.new) == ((3, 3), "y")


def test_an_unknown_tool_that_got_no_text_is_run_and_is_no_empty_command():
    seen = read_call(call("frobnicate"), Context("/w"))
    assert (seen.kind(), seen.programs, seen.noop) == ("run", ["frobnicate"], "")


def test_fields_tell_more_of_a_call_of_swe_agent_than_its_text():
    fields = {"command": "create", "path": "/w/a.py", "file_text": "x = 1"}
    made = call("str_replace_editor", "str_replace_editor create /w/a.py --file_text 'x = 1'", **fields)
    [write] = read_call(made, Context("/w"), swe_agent=True).writes
    assert (write.path, write.new) == ("/w/a.py", "x = 1")


def test_an_editors_edit_names_what_it_replaces():
    [write] = read_call(call("Edit", file_path="b.py", old_string="a", new_string="b"), Context("/w")).writes
    assert (write.old, write.new) == ("a", "b")
    several = call("MultiEdit", file_path="/b", edits=[{"old_string": "a", "new_string": "b"}, "no edit"])
    assert [(write.old, write.new) for write in read_call(several, Context()).writes] == [("a", "b")]

"""One patch of what was verified, which applies as a whole."""

from __future__ import annotations

from dap_ai.debuggees.python.hosts.testing.patch import from_root, patch_of


def diff(line, new, path="shop.py"):
    return f"--- a/{path}\n+++ b/{path}\n@@ -{line},1 +{line},1 @@\n-old\n+{new}"


def found(nodeid, text, *, verified=True, guess=False):
    return {"nodeid": nodeid, "diff": text, "claims": {"verified": verified, "guess": guess}}


def test_the_same_fix_of_several_tests_stands_once_and_says_how_many():
    patch = patch_of([found("a", diff(3, "new")), found("b", diff(3, "new"))])
    assert patch.text == f"# a (and 1 more): verified\n{diff(3, 'new')}\n"
    assert (patch.fixes, patch.left_out) == (1, 0)


def test_of_fixes_of_the_same_lines_that_of_most_tests_is_taken():
    patch = patch_of([found("a", diff(3, "one")), *(found(name, diff(3, "two")) for name in "bc")])
    assert "+two" in patch.text
    assert "+one" not in patch.text
    assert patch.left_out == 1


def test_fixes_of_other_lines_or_files_are_all_there():
    assert patch_of([found("a", diff(3, "x")), found("b", diff(9, "x")), found("c", diff(3, "x", "b.py"))]).fixes == 3


def test_what_was_not_verified_or_not_answered_is_not_there():
    assert patch_of([found("a", diff(3, "x"), verified=False), {"nodeid": "b", "error": "no answer"}]).text == ""


def test_a_guess_is_called_so():
    assert "a guess" in patch_of([found("a", diff(3, "x"), guess=True)]).text


def test_paths_are_those_from_the_root_wherever_the_test_stood():
    assert from_root(diff(3, "x", "/src/tests/shop.py"), "/src/tests/shop.py", "/src") == diff(3, "x", "tests/shop.py")
    assert from_root(diff(3, "x", "/other/shop.py"), "/other/shop.py", "/src") == diff(3, "x", "/other/shop.py")

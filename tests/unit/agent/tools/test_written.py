"""Diffs that a model only writes: found in the files, offered as fixes, and told once."""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path

import pytest

from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.report_tool import ReportTool, changes_in
from dap_ai.protocol.wire.ask_messages import Fix
from dap_ai.protocol.wire.safe import as_it_is
from tests.unit.agent.harness import fail

PROGRAM = """
def inner(n):
    return [][n]


def outer(n):
    mine = n * 2
    return inner(mine)


outer(3)
"""
GOOD = """Use it.

```diff
--- a/shop.py
+++ b/shop.py
@@ -1,2 +1,3 @@
 def inner(n):
-    return [][n]
+    if n:
+        return None
```
"""


@pytest.fixture
def bench(tmp_path: Path) -> ToolContext:
    path = tmp_path / "shop.py"
    path.write_text(textwrap.dedent(PROGRAM))
    debugger = fail(path)
    case = asyncio.run(StopReader(debugger, Sources(), "compute").read(debugger.stop))  # type: ignore[arg-type]
    return ToolContext(debugger, case, as_it_is)  # type: ignore[arg-type]


def test_a_written_diff_is_found_at_its_lines_whatever_its_numbers_say(bench: ToolContext):
    (change,) = changes_in(GOOD, bench)
    (edit,) = change.edits
    assert (Path(edit.file).name, edit.first, edit.last) == ("shop.py", 3, 3)
    assert edit.text == "    if n:\n        return None"


@pytest.mark.parametrize(
    "diff",
    [
        "```\n-    return [][n]\n+    return 0\n```",  # no diff by its own words
        GOOD.replace("[][n]", "[1][n]"),  # lines that are not there
        GOOD.replace("shop.py", "other.py"),
        GOOD.replace("b/shop.py", "b/../../etc/passwd"),
        "```diff\n+    return 0\n```",  # nowhere in particular
        GOOD.replace("```\n", "@@ -9 @@\n-    gone()\n+    here()\n```\n"),  # half a fix
    ],
)
def test_what_fits_nowhere_stays_text(bench: ToolContext, diff: str):
    assert changes_in(diff, bench) == []


def test_an_insertion_and_a_diff_without_a_name_are_of_the_file_in_question(bench: ToolContext):
    (change,) = changes_in("```diff\n     mine = n * 2\n+    print(mine)\n     return inner(mine)\n```", bench)
    (edit,) = change.edits
    assert (edit.first, edit.last, edit.text) == (8, 7, "    print(mine)")


def test_a_fix_that_was_only_written_can_be_applied_and_its_diff_stands_once(bench: ToolContext):
    report = ReportTool()
    ending = asyncio.run(report.ending(GOOD, bench))
    (fix,) = report.fixes
    assert fix.file.endswith("shop.py") and "+        return None" in fix.diff and not fix.verified
    assert "```" not in ending and "Not verified: " in ending


def test_a_fix_that_the_answer_calls_verified_in_vain_gets_its_verdict_and_no_second_diff(bench: ToolContext):
    report = ReportTool()
    diff = GOOD.split("```diff\n")[1].split("```", maxsplit=1)[0]
    report.fixes, report.called = [Fix("/shop.py", diff, verified=False, check="", result="it still fails")], True
    ending = asyncio.run(report.ending(f"**Recommendation.** This is verified.\n\n{GOOD}", bench))
    assert ending == "Not verified: it still fails.\n\n"


def test_a_diff_with_a_masked_secret_is_never_a_fix(bench: ToolContext):
    report = ReportTool()
    asyncio.run(report.ending(GOOD.replace("return None", "return '<secret:3f2a>'"), bench))
    assert report.fixes == []

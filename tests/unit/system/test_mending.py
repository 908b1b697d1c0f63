"""A fix applied to a cell's text."""

from __future__ import annotations

import pytest

from dap_ai.system.apply_diff import CannotMend, mended

DIFF = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n+c = 4\n@@ -5 +6 @@\n-e\n+f\n"


def test_hunks_are_applied_where_they_stand():
    assert mended("a = 1\nb = 2\n\nd\ne", DIFF) == "a = 1\nb = 3\nc = 4\n\nd\nf"


def test_a_text_that_is_another_is_refused():
    with pytest.raises(CannotMend):
        mended("a = 1\nb = 9\n\nd\ne", DIFF)

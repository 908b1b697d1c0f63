"""A plugin for pytest that writes down where each failure was, as pytest's own traceback has it: `-p _pytest_where`.

The file that DAP_AI_WHERE names gets a JSON object a line: test, exception, and frames, the innermost last, each a file
and a line (1-based).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Writes a line for each exception that makes a test fail."""
    report = yield
    if report.failed and call.excinfo is not None:
        frames = [[str(entry.path), entry.lineno + 1] for entry in call.excinfo.traceback]
        found = {"test": item.nodeid, "exception": call.excinfo.type.__name__, "frames": frames}
        with Path(os.environ["DAP_AI_WHERE"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
    return report

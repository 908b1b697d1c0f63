"""Export to dap_ai's own JSON: the whole run and its analysis, without loss.

readers/exported.py reads this format back.
"""

from __future__ import annotations

from typing import Any

import msgspec

from dap_ai.debuggees.runs.export.encoding import encoded
from dap_ai.debuggees.runs.run_model import Run

VERSION = 1


def exported(run: Run, analysis: Any) -> dict[str, bytes]:
    """Export the run as dap_ai's own JSON. Returns the contents of each file by name (`run.json`).

    The document is `{"dap_ai_run": 1, "run": {...}, "analysis": {...}}`, with the fields of
    `debuggees/runs/run_model.py`.
    """
    document = {"dap_ai_run": VERSION, "run": msgspec.to_builtins(run), "analysis": msgspec.to_builtins(analysis)}
    return {"run.json": encoded(document)}

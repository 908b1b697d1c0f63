"""`dap-ai` that notes what tests tell of each line: `python _spectra.py FILE dap-ai's arguments...`.

FILE gets, as JSON, `[[file, line, known, recent, ochiai, substance, is_of_test], ...]` of the last ranking.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dap_ai.cli import main
from dap_ai.debuggees.python.analysis.contrast import spectrum
from dap_ai.debuggees.python.analysis.ranking import rank_update

if __name__ == "__main__":
    file, rows = Path(sys.argv[1]), list[list[Any]]()
    score, made, ranked = spectrum.scored, spectrum.Features, rank_update.spectrum
    place: list[Any] = []

    def noting(case: Any, spot: Any, line: Any, known: float, recent: float) -> float:
        place[:] = spot
        return score(case, spot, line, known, recent)

    def noted(*features: Any) -> Any:
        rows.append([*place, *features])
        return made(*features)

    def anew(*arguments: Any) -> Any:
        rows.clear()
        return ranked(*arguments)

    spectrum.scored, spectrum.Features, rank_update.spectrum = noting, noted, anew
    sys.argv[1:] = sys.argv[2:]
    try:
        main()
    finally:
        file.write_text(json.dumps(rows), encoding="utf-8")

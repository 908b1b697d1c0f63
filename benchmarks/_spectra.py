"""`dap-ai` that notes what tests tell of each line: `python _spectra.py FILE dap-ai's arguments...`.

FILE gets, as JSON, `[[file, line, known, recent, ochiai, substance, is_of_test], ...]` of the last ranking.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dap_ai.agent.analyst import weighing
from dap_ai.agent.analyst.enclosing import is_of_test
from dap_ai.agent.analyst.evidence import spectrum
from dap_ai.cli import main

if __name__ == "__main__":
    file, rows = Path(sys.argv[1]), list[list[Any]]()
    score, ranked = spectrum.scored, weighing.spectrum

    def noting(case: Any, spot: Any, line: Any, known: float, recent: float) -> float:
        function = line.source.function_at(spot[1])
        of_test = is_of_test(case, spot[0], function.name if function else "")
        substance = spectrum.substance(line.statement)
        rows.append([*spot, known, recent, line.ochiai, substance, of_test])
        return score(case, spot, line, known, recent)

    def anew(*arguments: Any) -> Any:
        rows.clear()
        return ranked(*arguments)

    spectrum.scored, weighing.spectrum = noting, anew
    sys.argv[1:] = sys.argv[2:]
    try:
        main()
    finally:
        file.write_text(json.dumps(rows), encoding="utf-8")

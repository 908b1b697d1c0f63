"""`dap-ai` that also writes what the ranking knew of each line, as JSON, to the file that its first argument names."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from dap_ai.agent.analyst import investigating
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.trials import Trials
from dap_ai.cli import main

OUT = Path(sys.argv.pop(1))
weigh = investigating.weigh


def recorded(analysis: Analysis, found: Trials) -> None:
    """Ranks as the analyst does, and writes the features down."""
    weigh(analysis, found)
    if analysis.evidence:
        features = analysis.evidence.features(analysis.findings)
        rows = [[Path(file).name, line, asdict(known)] for (file, line), known in features.items()]
        OUT.write_text(json.dumps(rows), encoding="utf-8")


investigating.weigh = recorded
if __name__ == "__main__":
    main()

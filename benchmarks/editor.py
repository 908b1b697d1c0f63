"""What VS Code and the extension add to an answer: from the click on Ask to its first words in the panel.

    python benchmarks/editor.py [--runs N] [--json FILE]

Real VS Code in headless Chromium (vscode-extension/test/e2e), with the packed extension. A program stands at an
exception; the question is asked in a new conversation each time, of the offline analyst and of a scripted model. `all`
is measured in the panel by its own clock; `proxy` is what of it passes in dap_ai, from the request `ask` to the first
words, by its wire log; `added` is the rest: both ways between panel, extension host and proxy, and the rendering. Goal:
50 ms. Needs what `dev.py extension e2e` needs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from _dap import ROOT, machine, show

GOAL_MS = 50.0
MEASURE = ROOT / "vscode-extension" / "test" / "e2e" / "measure.mjs"
TIMEOUT_S = 600


def main() -> int:
    """Prints the table; 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    command = ["node", str(MEASURE), str(options.runs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        return done.returncode
    measured: dict[str, list[dict[str, float]]] = json.loads(done.stdout)
    rows = {provider: summary(runs) for provider, runs in measured.items()}
    columns = ("answered by", "runs", "all ms", "proxy ms", "added ms", "added, 90% below")
    title = "From the click on Ask to the first words in VS Code's panel (medians)"
    show(title, columns, [(name, options.runs, *row.values()) for name, row in rows.items()])
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "runs": measured, "summary": rows}, indent=1) + "\n")
    return int(any(row["added"] > GOAL_MS for row in rows.values()))


def summary(runs: list[dict[str, float]]) -> dict[str, float]:
    """Medians in milliseconds; what is added also as its 90th percentile."""
    added = sorted(run["total"] - run["proxy"] for run in runs)
    return {
        "all": statistics.median(run["total"] for run in runs),
        "proxy": statistics.median(run["proxy"] for run in runs),
        "added": statistics.median(added),
        "added_p90": added[min(len(added) - 1, int(0.9 * len(added)))],
    }


if __name__ == "__main__":
    sys.exit(main())

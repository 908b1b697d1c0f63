"""How often the offline analyst names the faulty line, on programs whose faulty line is known.

    python benchmarks/diagnosis.py [--json FILE] [PROGRAM...]

Runs `dap-ai ask` on examples/ and on tests/corpus/ and looks where the first right line stands among the suspects
(top 1, 3, 5), and whether the answer shows the value that proves it. Beside it two trivial rankings: the lines of the
stack from the innermost on, and the lines of the failing function from the failing one upwards.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from _dap import DAP_AI, ROOT, machine, show

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CATALOGUES = {"examples": ROOT / "examples" / "diagnoses.toml", "corpus": ROOT / "tests" / "corpus" / "corpus.toml"}
TIMEOUT_S = 60
TOPS = (1, 3, 5)


def asked(program: Path) -> dict[str, Any]:
    """The body of `askEnded` for a program; empty if there was none."""
    command = [*DAP_AI, "ask", "--json", "--provider", "offline", "--python", sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    events = [cast("dict[str, Any]", json.loads(line)) for line in done.stdout.splitlines()]
    ended = [event for event in events if event["event"] == "askEnded"]
    return ended[0] if ended else {}


def stack_of(program: Path) -> list[int]:
    """The program's own lines on the stack at the failure, innermost first."""
    source = compile(program.read_text(encoding="utf-8"), str(program), "exec")
    frames: list[traceback.FrameSummary] = []
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(source, {"__name__": "__main__"})  # noqa: S102  a program of ours
        except Exception as error:  # noqa: BLE001  which one does not matter
            frames = list(traceback.extract_tb(error.__traceback__))
    return [frame.lineno or 0 for frame in reversed(frames) if frame.filename == str(program)]


def rank_of(lines: Sequence[int], right: Sequence[int]) -> int:
    """Where the first right line stands, from 1 on; 0 if nowhere."""
    unique = list(dict.fromkeys(lines))
    return next((place for place, line in enumerate(unique, 1) if line in right), 0)


def measure(program: Path, diagnosis: Mapping[str, Any]) -> dict[str, Any]:
    """What the three rankings make of one program."""
    ended = asked(program)
    suspects = [one["line"] for one in ended.get("suspects", []) if Path(one["file"]).name == program.name]
    stack = stack_of(program)
    return {
        "analyst": rank_of(suspects, diagnosis["lines"]),
        "stack": rank_of(stack, diagnosis["lines"]),
        "upwards": rank_of(range(stack[0], 0, -1), diagnosis["lines"]),
        "value": diagnosis["value"].strip("'") in ended.get("answer", ""),
        "seconds": ended.get("usage", {}).get("seconds", 0.0),
    }


def tops(ranks: Sequence[int]) -> list[str]:
    """How many are among the first 1, 3 and 5."""
    return [f"{sum(0 < rank <= top for rank in ranks)}/{len(ranks)}" for top in TOPS]


def main() -> None:
    """Prints one line a program and the sums of each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names without .py (default: all)")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": machine()}
    for name, catalogue in CATALOGUES.items():
        diagnoses = tomllib.loads(catalogue.read_text(encoding="utf-8"))
        chosen = {each: diagnoses[each] for each in diagnoses if each in options.programs or not options.programs}
        if not chosen:
            continue
        found = {each: measure(catalogue.parent / f"{each}.py", chosen[each]) for each in chosen}
        figures[name] = found
        show(
            name,
            ["program", "analyst", "stack", "upwards", "value shown", "s"],
            [[k, *v.values()] for k, v in found.items()],
        )
        sums = [[way, *tops([row[way] for row in found.values()])] for way in ("analyst", "stack", "upwards")]
        show(f"{name}: the faulty line is among the first", ["", *map(str, TOPS)], sums)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes a real run of `dap-ai ask` into README.md, between its markers: benchmarks/transcript.py [EXAMPLE]."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- made by benchmarks/transcript.py -->", "<!-- end -->"


def transcript(example: str) -> str:
    """The command, then what it printed on stderr and stdout, in the order of its own printing."""
    command = [sys.executable, "-m", "dap_ai", "ask", example]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    shown = re.sub(r"^\$ .*?\n", "", done.stdout).split("Traceback (most recent call last)")[0]
    quoted = "\n".join("    " + line if line else "" for line in shown.rstrip().splitlines())
    return f"    $ dap-ai ask {example}\n{quoted}\n    [the program goes on: its traceback, its exit code 1]"


def main() -> None:
    """Replaces what stands between the markers."""
    example = sys.argv[1] if len(sys.argv) > 1 else "examples/resampling.py"
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n\n{transcript(example)}\n\n{END}{after}", encoding="utf-8")
    print(f"{readme}: transcript of {example}")


if __name__ == "__main__":
    main()

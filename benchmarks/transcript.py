"""Writes real runs of `dap-ai ask` into the docs, each between its markers: benchmarks/transcript.py.

The first, in README.md, is the offline analyst's. The second, in docs/models.md, is a conversation with a model whose
replies are read from a file, so that it runs without key and network; everything else in it is live: the tools, their
results, the verdicts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
END = "<!-- end -->"
RUNS = {
    "offline": ("README.md", "dap-ai ask examples/resampling.py", ""),
    "conversation": (
        "docs/models.md",
        "dap-ai ask --chat --replay examples/conversations/invoices.jsonl examples/invoices.py",
        "are there other orders like it?\n",
    ),
}
"""By the name of its marker: the file, what is run, and what is typed."""


def transcript(shown: str, typed: str) -> str:
    """The command, then what it printed on stderr and stdout, in the order of its own printing."""
    command = [sys.executable, "-m", "dap_ai", *shown.split()[1:]]
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "DAP_AI_"))}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environ,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    printed = re.sub(r"^\$ .*?\n", "", done.stdout)
    before, _, after = printed.partition("Traceback (most recent call last)")
    end = after.partition("the program ended with exit code 1\n")[2]
    quoted = "\n".join("    " + line if line else "" for line in before.rstrip().splitlines())
    closing = "".join(f"\n    {line}" for line in end.splitlines() if line.strip())
    return f"    $ {shown}\n{quoted}\n    [the program goes on: its traceback, its exit code 1]{closing}"


def main() -> None:
    """Replaces what stands between the markers."""
    for name, (file, shown, typed) in RUNS.items():
        page = ROOT / file
        begin = f"<!-- {name}: made by benchmarks/transcript.py -->"
        text = page.read_text(encoding="utf-8")
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{begin}\n\n{transcript(shown, typed)}\n\n{END}{after}", encoding="utf-8")
        print(f"{page}: {shown}")


if __name__ == "__main__":
    main()

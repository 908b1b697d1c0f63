"""A small run of an agent as a file, as mini-swe-agent writes it; each test says what its steps hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

PASSWORD = "hunter2-Tr0ub4dor-9921"
STEPS: Sequence[tuple[str, str, str]] = (
    ("I look at the shop.", "cat shop.py", "def total(cart):\n    return sum(cart) + 1\n"),
    ("I write a test.", "cat > test_shop.py <<'EOF'\nfrom shop import total\nassert total([1]) == 1\nEOF", ""),
    ("I run it.", "pytest -q test_shop.py", "E   assert 2 == 1\n1 failed in 0.02s"),
    ("The sum must be two.", "sed -i 's/+ 1/+ 2/' shop.py", ""),
    ("I run it again.", "pytest -q test_shop.py", "E   assert 3 == 1\n1 failed in 0.02s"),
    ("I am done.", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", ""),
)
"""What is said, the command, its output. The change of step 4 is wrong, and step 5 shows it."""


def written(path: Path, steps: Sequence[tuple[str, str, str]] = STEPS, task: str = "total() is 1 too high.") -> Path:
    """The run's file."""
    messages = [{"role": "system", "content": "You have a shell."}, {"role": "user", "content": task}]
    for said, command, output in steps:
        messages.append({"role": "assistant", "content": f"THOUGHT: {said}\n\n```bash\n{command}\n```"})
        code = int(" failed" in output)
        messages.append({"role": "user", "content": f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"})
    info = {"exit_status": "Submitted", "submission": "", "mini_version": "1.15.0"}
    info |= {"config": {"agent": {"system_template": "You have a shell."}, "environment": {"cwd": "/shop"}}}
    body = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
    path.write_text(json.dumps(body, indent=1), encoding="utf-8")
    return path

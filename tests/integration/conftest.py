"""How integration tests run `dap-ai`: as a user does, as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.patience import at_worst
from tests.processes import end_tree

TIMEOUT_S = at_worst(60.0)


@pytest.fixture
def start_dap_ai() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """`start_dap_ai("serve")`: the running process, all three streams piped; its tree ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(
        *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        command: Sequence[str] = [sys.executable, "-m", "dap_ai", *map(str, arguments)]
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        end_tree(process)


@pytest.fixture
def run_dap_ai(
    start_dap_ai: Callable[..., subprocess.Popen[bytes]],
) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """`run_dap_ai("ask", path, stdin=b"...")`: runs it to its end; `returncode`, `stdout` and `stderr` as bytes."""

    def run(
        *arguments: str | Path,
        stdin: bytes = b"",
        timeout_s: float = TIMEOUT_S,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        process = start_dap_ai(*arguments, cwd=cwd, env=env)
        stdout, stderr = process.communicate(stdin, timeout_s)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    return run

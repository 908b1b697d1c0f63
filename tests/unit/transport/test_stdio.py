"""What is asked of this process's own stdin and stdout, whatever they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import patient

_BLOCKS = """
import asyncio, os, sys
from dap_ai.transport.stdio import open_stdio

async def main():
    await open_stdio()
    print([os.get_blocking(fd) for fd in (0, sink)], file=sys.stderr)

sink = os.dup(1)
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no such mode there")
@pytest.mark.parametrize("regular", ["stdin", "stdout"])
def test_beside_a_regular_file_a_pipe_still_blocks(tmp_path: Path, regular: str) -> None:
    with (tmp_path / "file").open("w+b") as file:
        ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | {regular: file}
        done = subprocess.run(
            [sys.executable, "-c", _BLOCKS], stderr=subprocess.PIPE, text=True, timeout=patient(60), check=True, **ends
        )
    assert done.stderr == "[True, True]\n"

"""Reads a process's rank in a parallel job from its command line or environment, as launchers set them (Linux)."""

from __future__ import annotations

import re
from pathlib import Path

_OPTION = re.compile(rb"--(?:local[-_])?rank(?:=|\0)(\d+)\0")
_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK")
"""Environment variables of torchrun, Open MPI, MPICH and Slurm. The first variable that is set gives the rank."""


def rank_of(process_id: int, program: str) -> str:
    """Return a process's rank as digits. Empty if the process has no rank, has ended, or cannot be read.

    The process's command line must contain `program`, because the id may belong to a process of another machine.
    """
    place = Path(f"/proc/{process_id}")
    try:
        command, environ = (place / "cmdline").read_bytes(), (place / "environ").read_bytes()
    except OSError:
        return ""
    if not program or program.encode() not in command:
        return ""
    if found := _OPTION.search(command):
        return found[1].decode()
    parts = (line.partition("=") for line in environ.decode(errors="replace").split("\0"))
    values = {name: value for name, _, value in parts}
    found_by_name = (values.get(name, "") for name in _VARIABLES)
    return next((value for value in found_by_name if value.isdecimal()), "")

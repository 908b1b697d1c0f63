"""Real recorded runs, where this machine has them: `DAP_AI_TRAJECTORIES` names the folder.

Else it is `shared/trajectories` beside the checkout, or above that.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = [above / "shared" / "trajectories" for above in Path(__file__).resolve().parents[5:]]
FOLDER = Path(os.environ.get("DAP_AI_TRAJECTORIES") or next(filter(Path.is_dir, _BESIDE), _BESIDE[0]))
SAMPLES = Path(__file__).parent / "samples"


def real(*parts: str) -> Path:
    """A real run; the test is skipped where it is not there."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no recorded runs at {FOLDER}")
    return path

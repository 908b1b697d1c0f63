"""The corpus itself: a hostile expression is hostile, and the program's account of its state shows it.

That a harmless one changes nothing, harness.py finds out beside each that it runs (Scene.run).
"""

from __future__ import annotations

import collections
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.patience import patient
from tests.safety.cases import Case, Group, write_scene
from tests.safety.harmless import HARMLESS
from tests.safety.harness import DEBUGGEE
from tests.safety.hostile import HOSTILE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the program tells its state from /proc")


def cases(groups: list[Group]) -> list[Case]:
    return [case for group in groups for case in group.cases]


def proved(groups: list[Group], folder: Path) -> Mapping[str, str]:
    """What each case did when it was really evaluated, by name; those without their modules are left out."""
    write_scene(folder, groups)
    run = subprocess.run(
        [sys.executable, DEBUGGEE, folder, "prove"], capture_output=True, timeout=patient(280), check=False
    )
    assert run.returncode == 0, run.stderr.decode() + (folder / "files" / "err").read_text()
    return json.loads(run.stdout)


@pytest.mark.parametrize(("groups", "least"), [(HOSTILE, 150), (HARMLESS, 80)], ids=["hostile", "harmless"])
def test_the_corpus_has_its_size_and_no_case_twice(groups: list[Group], least: int):
    counted = collections.Counter(case.name for case in cases(groups))
    assert len(counted) >= least and counted.most_common(1)[0][1] == 1


def test_each_hostile_expression_does_its_harm_where_nothing_contains_it(tmp_path: Path):
    did = proved(HOSTILE, tmp_path)
    tame = [(case.name, did[case.name]) for case in cases(HOSTILE) if case.effect not in did[case.name].split(",")]
    assert tame == []

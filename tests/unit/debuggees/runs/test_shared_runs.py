"""Over all real runs: what their index and their labels say of them."""

from __future__ import annotations

import json
import re

from dap_ai.debuggees.runs.opening import find_runs, open_run
from tests.unit.debuggees.runs.shared import real

IS_FOLDER = "harbor-atif/"
SPANS = 4
"""Model calls of a trace, which the labels count; the index counts its 11 spans."""


def test_every_item_of_the_index_opens_with_its_steps():
    rows = re.findall(r"^\| ([^|\s]+) \| [\d.]+ \| ([^|]+?) \|", real("INDEX.md").read_text(), re.MULTILINE)
    found = {path.name: path for path, _ in find_runs(real("."))}
    assert len(rows) == len(found) == 44
    for name, told in rows:
        run = open_run(found[name.rstrip("/").rpartition("/")[2]])
        wanted = int(told.split()[0]) if told[0].isdigit() else 2  # without a trajectory: the log's, as it is labelled
        assert run.steps == (SPANS if "spans" in told else wanted), name


def test_the_highest_step_is_that_of_the_labels():
    labels = map(json.loads, real("labels.jsonl").read_text().splitlines())
    for label in labels:
        folder, name, *_ = label["run"].split("/")
        assert open_run(real(folder, name)).steps == label["steps"], label["run"]

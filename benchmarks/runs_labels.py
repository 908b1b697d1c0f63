"""Effects, stages and checks of recorded runs against the labels of one careful reader.

    python benchmarks/runs_labels.py TRAJECTORIES [--codetracer CHECKOUT] [--misses] [--json FILE]

TRAJECTORIES holds the runs and `step_labels.jsonl`. With a checkout of CodeTracer its own file
(`src/codetracer/services/classification.py`) is run beside ours: it knows `change` and `explore` only, so that an
installation counts as change for it and all else as explore.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import STRENGTH, RunAnalysis, StepCheck
from dap_ai.debuggees.runs.analysis.step_effects import text_of_call
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import RunStep, steps_of

STAGES = ("environment", "dependencies", "inspection", "patching", "verification", "submission")
CODETRACER = Path("src/codetracer/services/classification.py")
Classify = Callable[[str], str]


class Labelled(NamedTuple):
    """One run, as it was labelled and as it was analysed."""

    labels: Mapping[str, Any]
    steps: Sequence[RunStep]
    analysis: RunAnalysis


def labelled(folder: Path) -> Iterator[Labelled]:
    """The labelled runs. Raises SystemExit where the steps are not those that were labelled."""
    for line in (folder / "step_labels.jsonl").read_text(encoding="utf-8").splitlines():
        labels = json.loads(line)
        run = open_run(_root(folder / labels["run"]))
        steps = steps_of(run)
        expected = range(labels["first_step"], labels["first_step"] + len(labels["effects"]))
        if [step.number for step in steps] != list(expected):
            raise SystemExit(f"{labels['run']}: has other steps than its labels: {len(steps)}, not {len(expected)}")
        yield Labelled(labels, steps, analyse(run))


def _root(path: Path) -> Path:
    """The folder of a trial of Terminal-Bench, which has the task, in the place of its cast."""
    return path.parents[1] if path.name == "agent.cast" else path


def codetracer(checkout: Path) -> Classify:
    """The classifier of a checkout of CodeTracer: its own file, with an empty store and no model."""
    spec = importlib.util.spec_from_file_location("codetracer_classification", checkout / CODETRACER)
    if spec is None or spec.loader is None or not (checkout / CODETRACER).is_file():
        raise SystemExit(f"{checkout / CODETRACER}: is not there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    empty = Path(tempfile.gettempdir()) / "no-such-codetracer-store.jsonl"
    return module.ClassificationStore(store_path=empty).classify


# -- measuring -----------------------------------------------------------------------------------------------------


def effects(runs: Sequence[Labelled], theirs: Classify | None) -> dict[str, dict[str, Any]]:
    """Per class of the labels: how many there are, how many of them we call so, and how many that we call so are."""
    pairs = [(said, effect.kind, step) for run in runs for said, effect, step in _each(run)]
    rows: dict[str, dict[str, Any]] = {}
    for kind in STRENGTH:
        of_kind = [(said, ours, step) for said, ours, step in pairs if said == kind]
        called = [said for said, ours, _ in pairs if ours == kind]
        row = {"labelled": len(of_kind), "right": sum(ours == kind for _, ours, _ in of_kind)}
        row |= {"called": len(called), "called_right": called.count(kind)}
        if theirs:
            want = "change" if kind in {"change", "install"} else "explore"
            row["codetracer_right"] = sum(theirs(_text(step)) == want for _, _, step in of_kind)
        rows[kind] = row
    rows["all"] = {"labelled": len(pairs), "right": sum(said == ours for said, ours, _ in pairs)}
    if theirs:
        rows["all"]["codetracer_right"] = sum(row["codetracer_right"] for kind, row in rows.items() if kind != "all")
    return rows


def writes(runs: Sequence[Labelled], theirs: Classify | None) -> dict[str, int]:
    """The shell commands that were labelled `change`: how many are called so."""
    found = [
        (e, step) for run in runs for said, e, step in _each(run) if said == "change" and step.call and step.call.text
    ]
    row = {"labelled": len(found), "right": sum(effect.kind == "change" for effect, _ in found)}
    if theirs:
        row["codetracer_right"] = sum(theirs(_text(step)) == "change" for _, step in found)
    return row


def stages(runs: Sequence[Labelled]) -> dict[str, dict[str, int]]:
    """Per stage: the steps that were labelled to be in it, and those of them that we put there."""
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for run in runs:
        ours = _spread((stage.stage, stage.first, stage.last) for stage in run.analysis.stages)
        said = _spread((one["stage"], one["first"], one["last"]) for one in run.labels["stages"])
        for step, stage in said.items():
            total[stage] += 1
            right[stage] += ours.get(step) == stage
    rows = {stage: {"labelled": total[stage], "right": right[stage]} for stage in STAGES}
    return {**rows, "all": {"labelled": total.total(), "right": right.total()}}


def checks(runs: Sequence[Labelled]) -> dict[str, dict[str, int]]:
    """Whether checks are found, and of those found: outcome, counts and exit code. Builds are not labelled."""
    rows = {name: {"labelled": 0, "right": 0} for name in ("found", "outcome", "counts", "exit code")}
    for run in runs:
        ours = {check.step: check for check in run.analysis.checks if check.kind != "build"}
        for said in run.labels["checks"]:
            check = ours.pop(said["step"], None)
            _count(rows["found"], right=check is not None)
            if check is not None:
                _compare(rows, said, check)
        rows["found"]["called"] = rows["found"].get("called", 0) + len(run.labels["checks"]) + len(ours)
    return rows


def _compare(rows: dict[str, dict[str, int]], said: Mapping[str, Any], check: StepCheck) -> None:
    _count(rows["outcome"], right=(check.ok is True) == said["ok"])
    if said["passed"] is not None or said["failed"] is not None:
        _count(rows["counts"], right=(check.passed, check.failed) == (said["passed"], said["failed"]))
    if said["exit_code"] is not None:
        _count(rows["exit code"], right=check.exit_code == said["exit_code"])


def _count(row: dict[str, int], *, right: bool) -> None:
    row["labelled"] += 1
    row["right"] += right


def _each(run: Labelled) -> Iterable[tuple[str, Any, RunStep]]:
    return zip(run.labels["effects"], run.analysis.effects, run.steps, strict=True)


def _spread(ranges: Iterable[tuple[str, int, int]]) -> dict[int, str]:
    return {step: stage for stage, first, last in ranges for step in range(first, last + 1)}


def _text(step: RunStep) -> str:
    """The action as CodeTracer would be given it: the call, or the reply's own words."""
    if step.call is not None:
        return text_of_call(step.call)
    return step.response.text if step.response is not None else ""


# -- showing -------------------------------------------------------------------------------------------------------


def show(result: Mapping[str, Any]) -> None:
    """A table a part."""
    for part in ("effects", "stages", "checks"):
        with_theirs = any("codetracer_right" in row for row in result[part].values())
        print(
            f"{part:14}{'labelled':>9}{'right':>7}{'':8}{'precision':>10}{'CodeTracer':>12}"
            if with_theirs
            else f"{part:14}{'labelled':>9}{'right':>7}"
        )
        for name, row in result[part].items():
            if row["labelled"]:
                print(f"  {name:12}{_row(row)}")
        print()
    print(f"shell commands that write, called change: {_row(result['writes']).strip()}")


def _row(row: Mapping[str, int]) -> str:
    share = f"{100 * row['right'] / row['labelled']:.1f} %"
    called = (
        f"{100 * row['called_right'] / row['called']:.1f} %"
        if row.get("called_right") is not None and row["called"]
        else ""
    )
    theirs = f"{100 * row['codetracer_right'] / row['labelled']:.1f} %" if "codetracer_right" in row else ""
    return f"{row['labelled']:9}{row['right']:7}{share:>8}{called:>10}{theirs:>12}".rstrip()


def misses(runs: Sequence[Labelled]) -> Iterator[str]:
    """Every step whose effect is another than its label."""
    for run in runs:
        for said, effect, step in _each(run):
            if said != effect.kind:
                where = f"{run.labels['run']} step {effect.step}"
                yield f"{where}: labelled {said}, called {effect.kind}: {_text(step)[:80]!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", type=Path)
    parser.add_argument("--codetracer", type=Path, help="a checkout of CodeTracer, whose classifier is run beside ours")
    parser.add_argument("--misses", action="store_true", help="name the steps whose effect is not as labelled")
    parser.add_argument("--json", type=Path, help="write the numbers there")
    arguments = parser.parse_args()
    theirs = codetracer(arguments.codetracer) if arguments.codetracer else None
    runs = list(labelled(arguments.trajectories))
    result = {
        "effects": effects(runs, theirs),
        "writes": writes(runs, theirs),
        "stages": stages(runs),
        "checks": checks(runs),
    }
    show(result)
    for line in misses(runs) if arguments.misses else ():
        print(line)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(result)))


if __name__ == "__main__":
    main()

"""Rule that starts at the verifier's output after the run.

Finds the change that wrote the text or the file mentioned in that output.
"""

from __future__ import annotations

from collections.abc import Iterator

from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.onset.complaints import complaints, named_in
from dap_ai.debuggees.runs.analysis.onset.onset_context import OnsetContext, Quotation, edit_of, suspect
from dap_ai.debuggees.runs.analysis.onset.work_changes import changes
from dap_ai.debuggees.runs.analysis.onset_model import OnsetSuspect
from dap_ai.debuggees.runs.analysis.state_tree import one_line


def verifier_names(scene: OnsetContext) -> Iterator[OnsetSuspect]:
    """Suspects the change to which the verifier's first attributable error line leads."""
    said = scene.verifier
    left = changes(scene) if said is not None else []
    for line in complaints(said.text) if said is not None else ():
        found = named_in(scene, line, left)
        if found is not None:
            name = paths.name(found.write.path)
            yield suspect(
                found.step,
                "incorrect hypothesis",
                0.6,
                f"Step {found.step} wrote {name}, of which the verifier says: {one_line(line, 120)}",
                links=[(scene.last, f"the verifier complains: {line}")],
                said=[edit_of(scene, found.effect, found.write), Quotation(0, said, line)],
            )
            return

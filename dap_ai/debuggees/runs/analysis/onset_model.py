"""Types for the onset, which is the step where a run went wrong. Step numbers are those of the run, 1-based."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from dap_ai.debuggees.runs.run_model import Ref

ErrorType = Literal[
    "environment/setup",
    "dependency resolution",
    "mislocalized edit",
    "incorrect hypothesis",
    "verification misinterpretation",
    "unproductive looping",
]


class OnsetEvidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """A verbatim quote, and its location in the run's files."""

    step: int
    """Step that contains the quote. 0 if the quote belongs to no step, e.g. the recorded verdict."""
    ref: Ref
    quote: str


class OnsetLink(msgspec.Struct, frozen=True):
    """One step in the chain that leads from the onset to the symptom."""

    step: int
    text: str


class OnsetSuspect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A range of steps in which the run may have gone wrong."""

    step: int
    first: int
    last: int
    """Last step of the range that starts at `first` (inclusive) and contains `step`."""
    type: ErrorType
    confidence: float
    """Measured share of correct findings of this kind, 0 to 1 (docs/analysis.md)."""
    text: str
    """Description in one sentence."""
    chain: Sequence[OnsetLink] = ()
    """Steps from the onset to the symptom, in order."""
    evidence: Sequence[OnsetEvidence] = ()
    rule: str = ""
    """Name of the rule that found the suspect, in the spelling of the docs."""


class Onset(OnsetSuspect, frozen=True, omit_defaults=True):
    """The most likely suspect. `alternatives` has the other suspects, most likely first."""

    alternatives: Sequence[OnsetSuspect] = ()


class OnsetFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """The step where a run went wrong, or the reason why no step is named."""

    onset: Onset | None = None
    why: str = ""
    """Reason why the finding has no onset."""

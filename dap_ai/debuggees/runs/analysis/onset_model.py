"""The words of an onset: where a run went wrong. Steps are numbered as in the run, 1-based."""

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
    """Words of the run, as they stand at `ref`."""

    step: int
    """0: what belongs to no step, such as the recorded verdict."""
    ref: Ref
    quote: str


class OnsetLink(msgspec.Struct, frozen=True):
    """One step on the way from the onset to the symptom."""

    step: int
    text: str


class OnsetSuspect(msgspec.Struct, frozen=True, omit_defaults=True):
    """One block of steps in which the run may have gone wrong."""

    step: int
    first: int
    last: int
    """The block, both included; `step` lies in it."""
    type: ErrorType
    confidence: float
    """0 to 1: the share of such findings that are right, as far as that was measured (docs/analysis.md)."""
    text: str
    """One sentence."""
    chain: Sequence[OnsetLink] = ()
    """From the onset to the symptom, in order."""
    evidence: Sequence[OnsetEvidence] = ()
    rule: str = ""
    """The rule that names it, as the docs list them."""


class Onset(OnsetSuspect, frozen=True, omit_defaults=True):
    """The first suspect, and what else a reader could defend, likeliest first."""

    alternatives: Sequence[OnsetSuspect] = ()


class OnsetFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a run went wrong, or why nothing is said."""

    onset: Onset | None = None
    why: str = ""
    """Of a finding without an onset: the reason."""

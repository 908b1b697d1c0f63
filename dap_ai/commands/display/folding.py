"""Leaves out the evidence sections of an answer, so that the cause stays visible in a terminal.

With `-v` the whole answer is shown instead.
"""

from __future__ import annotations

from dap_ai.agent.report.wording import AGAIN, HAPPENED, WHY, name_of
from dap_ai.protocol.wire.report import Report, SectionKind

_EVIDENCE: dict[SectionKind, str] = {
    "suspects": "other suspects",
    "unproved": "changes that pass",
    "effort": "what was tried",
    "happened": name_of(HAPPENED),
    "why": name_of(WHY),
    "rerun": name_of(AGAIN),
}
"""Kinds of sections that are left out, each with its name."""


def without_evidence(report: Report, *, strong: bool = False) -> str:
    """Return the Markdown of an answer without its evidence and answerer, and a line that names the evidence.

    `strong`: the verdict is in bold.

    An answer that states no cause, as at a breakpoint, is returned whole, because its evidence is the answer.
    """
    has_cause = any(section.kind == "cause" for section in report.sections)
    hidden = _EVIDENCE if has_cause else {}
    kept = [section for section in report.sections if section.kind not in {*hidden, "answerer"}]
    shown = [f"**{part.text}**" if strong and part.kind == "verdict" else part.text for part in kept]
    names = dict.fromkeys(hidden[section.kind] for section in report.sections if section.kind in hidden)
    if names:
        shown.append(f"More, by `-v`: {', '.join(names).lower()}.")
    return "\n\n".join(shown) + "\n"

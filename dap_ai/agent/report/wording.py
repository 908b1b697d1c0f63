"""Headings of an answer, and sentences that several modules and tests use."""

from __future__ import annotations

from dap_ai.agent.case.value_texts import cut

CAUSE, GUESS, UNKNOWN = "**Root cause.**", "**Root cause (a guess).**", "**Root cause: not known.**"
ADVICE = "**Recommendation.**"
HAPPENED = "**What happened.**"
WHY = "**Why.**"
AGAIN = "**Run again.**"
NOW = "**Now.**"
VALUES = "**Values here.**"
HAD = "**Values it had.**"
BY_SOURCE = "Where it comes from, nearest first"
MOVES = "**Its arguments, from call to call.**"

VERIFIED = "**Verified in a snapshot:**"
PASSES = "**Passes, not verified:**"
NOT_VERIFIED = "**Not verified:**"

NO_RANKING = "No language model was used: this is the offline analyst."
NO_MODEL = "No language model was used: this is the offline analyst, and the ranking of lines is a heuristic."
NOT_COMPUTED = (
    "This depends on a value that was set in the debugger, not computed: no line of the program is its cause."
)
CLEANED = "Cleanup has run since; what these held at the failure is not known:"
NO_ASSIGNMENT = "No assignment to it was found in the code that was read."


def times(count: int) -> str:
    """Formats a number of times: `once`, `twice`, `1,200 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def cut_code(text: str, max_chars: int) -> str:
    """Cuts a text to `max_chars` characters. Closes a code span that the cut has left open."""
    short = cut(text, max_chars)
    return short + "`" * (short.count("`") % 2)


def name_of(heading: str) -> str:
    """Returns the words of a heading: `Why` for `**Why.**`."""
    return heading.strip("*.:")

"""Regular expressions for whole natural-language questions. They ignore case and expect single blanks."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["slow", "since", "next", "suppose"]


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.IGNORECASE)


_FUNCTION = r"(?P<f>[A-Za-z_][\w.]*)(?:\(\))?"
"""A function name, with or without `()`. A call with arguments does not match; it is evaluated instead."""
_WHY = r"(?:why|how come|how is it that|how can it be that|explain why)"
_DID = r"(?:(?:was|is|did|does|do|has|were)(?:n't)? ?)"
_NEVER = r"(?:(?:not|never|ever|been|get|got|being|was|is|did|has) )*"
_THE = r"(?:(?:the|a|an|this|that|these|my) )?"

PLAIN: dict[Kind, re.Pattern[str]] = {
    "suppose": _pattern(r"what (?:would|will|could) (?:happen|be|it|.*\breturn).*\bif\b.*|what if\b.*|would .* if\b.*"),
    "slow": _pattern(
        r".*\b(?:slow(?:er|ly)?|so long|too long|how long did|bottle ?neck|performance|profile|hot ?spots?",
        r"|takes? (?:the )?(?:most|so much|all the|up the)? ?time",
        r"|time (?:is |was |being )?(?:spent|lost|wasted|goes?|go))\b.*",
    ),
    "since": _pattern(
        r"(?:what(?:'s| is| has| have| was| did)?|which (?:values?|variables?|names?)(?: has| have)?|anything)",
        r" (?:been )?(?:change[ds]?|changing|different|new|differs?)\b",
        r"(?: (?:here|now|in the last (?:step|line)|(?:since|from|after|between|compared)\b.*))?",
    ),
    "next": _pattern(
        r"what(?:'s| is| will| does| would)? ?(?:it )?(?:happens?|comes?|be|runs?|do|the)? ?",
        r"(?:run |done |executed |line )*next(?: line)?",
    ),
}
LINE_RUN = _pattern(
    rf"(?:(?:{_WHY}|how often|how many times|when) )?{_DID}?",
    r"(?:(?P<file>[\w./-]+\.\w+):|line (?:number )?)(?P<line>\d+) ",
    rf"{_NEVER}(?:run|ran|executed?|reached?|entered|hit|called|skipped|taken|happen)\b.*",
)
RETURNED = _pattern(
    rf"(?:(?:{_WHY}|what|how) )?{_DID}?{_THE}(?:(?:function|method|call) )?{_FUNCTION} ",
    r"(?:not )?(?:return(?:s|ed|ing)?|yields?|gives? back|evaluates? to)(?P<v> .+)?",
)
RESULT = _pattern(rf"(?:what|why) (?:is|was) the (?:result|return value|output) of {_FUNCTION}(?P<v> .+)?")
CALLED = _pattern(
    rf"(?:(?:how often|how many times|why) )?{_DID}{_THE}(?:(?:function|method) )?{_FUNCTION} ",
    rf"{_NEVER}called(?: at all)?",
)
CALLER = _pattern(
    r"(?:who|what|where|which \w+) (?:is |was )?call(?:s|ed)? (?:the )?(?:(?:function|method) )?",
    r"(?P<f>(?!this\b|it\b|me\b|us\b)[A-Za-z_][\w.]*)(?:\(\))?(?: called)?",
)
FROM = _pattern(
    rf"(?:where|how) {_DID}{_THE}(?:(?:value|number|text|string) )?(?P<v>.+?) ",
    r"(?:(?:come|came|stem|originate|appear|arise|taken|born|made|created|set|get in)\b.*|from)",
)
WHY_VALUE = _pattern(rf"{_WHY} (?:(?:is|are) there |do i (?:get|see|have) )?(?:only )?{_THE}(?P<v>.+)")
WHY_NOT = _pattern(rf"{_WHY} (?:(?:is|was) it )?not {_THE}(?P<v>.+)|{_WHY} (?:is|was)n't it (?P<w>.+)")
STANDS = _pattern(
    rf"(?P<why>{_WHY} )?(?P<verb>(?:is|are|was|were|does|do|did|has)(?:n't)?)(?: it| there)? (?P<rest>.+)"
)
DIFFER = _pattern(
    r"(?:what is |what's )?the difference between (?P<a>.+) and (?P<b>.+)|how do(?:es)? (?P<c>.+) and (?P<d>.+) differ",
    r"|how (?:does|is) (?P<e>.+) (?:differ|different) from (?P<f>.+)",
)

VERB = _pattern(r" *(?:is|are|was|were|be|become|have|has|equals?|get|got)\b(?! to| than)")
NOT = _pattern(r" *(?:not|never|no longer)\b *")
EMPHASIS = _pattern(
    r"\b(?:really|actually|still|suddenly|always|now|here|only|just|already|so|then|at this point|in this line)\b *"
)
ARTICLES = _pattern(
    r"(?:(?:the|my|our|this|that) )?(?:(?:values?|contents?|variable|field|attribute|name) of )?(?:(?:the|my) )?"
)
INSTEAD = _pattern(r",? (?:and|but|instead of|rather than)(?: not)? [^<>=!]+$")

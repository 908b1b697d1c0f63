"""A null that a look-up returned: for what, and whether something much like it is there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.analyst.facts import near_key
from dap_ai.agent.case.values import variables
from dap_ai.agent.compiled.constructs import Expression
from dap_ai.agent.native.draft import Draft, bare, brief
from dap_ai.protocol.contracts.inspection import Value

_PLAIN = frozenset({"str", "int", "enum", "char"})
_MAX_CHARS = 30
_KEY = re.compile(r'[{ ](?P<key>"(?:[^"\\]|\\.)*"): ')
"""In the text of a map."""


def explain_lookup(draft: Draft, pointer: str) -> None:
    """Says what the call was given that returned the null pointer, where that is a short value."""
    call = _call(draft, pointer)
    for argument in call.parts[1:] if call else ():
        text, value = bare(argument).text, draft.value(bare(argument).text)
        if call is None or value is None or value.kind not in _PLAIN or len(value.text) > _MAX_CHARS:
            continue
        told = f"`{brief(value)}`" if text == value.text else f"`{text}` = `{brief(value)}`"
        draft.analysis.effect = f"`{pointer}` is `null` for {told}"
        draft.say(f"`{call.text}` returned it for {told}.")
        for near in _near(draft, value):
            draft.say(near)
            draft.advise(near)
        draft.cite(text)
        return


def _call(draft: Draft, pointer: str) -> Expression | None:
    """The call of this function that gave the pointer its value, if the last thing that did was one."""
    link = next(iter(draft.analysis.chain), None)
    here = link is not None and link.file == draft.place.frame.path and link.name == pointer
    if link is None or not here or draft.unit is None or draft.unit.function_at(link.line) is not draft.function:
        return None
    return next((e for e in draft.unit.expressions_at(link.line) if e.kind == "call"), None)


def _near(draft: Draft, value: Value) -> Iterator[str]:
    """Of each variable of the frame that holds a key much like the value, the key and how they differ."""
    for variable in variables(draft.place.facts) if draft.place.facts else []:
        keys = [found["key"] for found in _KEY.finditer(variable.value.text)]
        if keys and value.text not in keys and (told := near_key(value.text, keys)):
            yield f"In `{variable.name}` {told}."

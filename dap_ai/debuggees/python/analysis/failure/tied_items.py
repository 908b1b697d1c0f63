"""Explains failed comparisons of items without an order, such as the second items of tuples in a heap."""

from __future__ import annotations

import ast
import builtins
import re
from typing import NamedTuple

from dap_ai.agent.case.stop_snapshot import sub_expressions
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name
from dap_ai.system.texts import code

_UNORDERED = re.compile(r"'[<>]=?' not supported between instances of '([\w.]+)' and '([\w.]+)'")
_SORTS = frozenset({"sorted", "sort", "min", "max", "nsmallest", "nlargest", "merge"})
_PUTS = frozenset({"heappush", "insort", "insort_left", "insort_right", "bisect", "bisect_left", "bisect_right"})
_HEAPS = frozenset({"heappop", "heapify", "heapreplace", "heappushpop", "put", "get", "put_nowait"})


class Tie(NamedTuple):
    """A call that compared items of a type without an order, and the name of that type."""

    call: ast.Call
    type: str

    @property
    def sorts(self) -> bool:
        """Whether the call takes a `key=`."""
        return called_name(self.call) in _SORTS


def tie_of(d: Diagnosis, message: str) -> Tie | None:
    """Return the call in the failing line that compared items without an order, or None for another failure."""
    match = _UNORDERED.search(message)
    if match is None or match[1] != match[2]:
        return None
    wanted = _SORTS | _HEAPS | _PUTS
    calls = [n for n in sub_expressions(d.header) if isinstance(n, ast.Call) and called_name(n) in wanted]
    return Tie(calls[-1], match[1].rpartition(".")[2]) if calls else None


def explain(d: Diagnosis, message: str) -> bool:
    """Explain why the items were compared and what to do; return False for another failure."""
    tie = tie_of(d, message)
    if tie is None:
        return False
    call = code(ast.unparse(tie.call.func))
    own_order = "" if hasattr(builtins, tie.type) else f", or give {code(tie.type)} a `__lt__`"
    if is_of_tuples(d, tie):
        d.say(
            f"{call} compares tuples item by item: where the first items are equal{_tied(d, tie)}, the next ones "
            f"decide, and {code(tie.type)} has no `<`."
        )
        way = "sort with a `key=`" if tie.sorts else "put a number that never repeats between (`itertools.count()`)"
        d.advice.append(f"Decide the order of equal items: {way}{own_order}.")
    else:
        d.say(f"{call} compares the items with `<`, which {code(tie.type)} does not have.")
        way = "with a `key=`" if tie.sorts else "with tuples that begin with a number"
        d.advice.append(f"Say by what to compare: {way}{own_order}.")
    d.blame(*tie.call.args)
    return True


def _tied(d: Diagnosis, tie: Tie) -> str:
    """Return a note with the first item of the inserted tuple, or an empty string if that item is unknown."""
    item = tie.call.args[-1] if called_name(tie.call) in _PUTS and tie.call.args else None
    first = item.elts[0] if isinstance(item, ast.Tuple) and item.elts else None
    value = d.value(first) if first else None
    return f" (here {code(value.text)})" if value else ""


def is_of_tuples(d: Diagnosis, tie: Tie) -> bool:
    """Whether the compared items are tuples, judging by the line and its values."""
    if any(isinstance(argument, ast.Tuple) for argument in tie.call.args):
        return True
    holders = [*tie.call.args, *([tie.call.func.value] if isinstance(tie.call.func, ast.Attribute) else [])]
    texts = [value.text for holder in holders if (value := d.value(holder))]
    return any(text.startswith(("[(", "((", "{(")) for text in texts)

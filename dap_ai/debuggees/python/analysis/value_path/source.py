"""One step back: where a value was made, and of what."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from dap_ai.debuggees.python.analysis.value_path.recorded import Told
from dap_ai.debuggees.python.analysis.value_path.spots import Spot
from dap_ai.protocol.wire.value_path import Step


@dataclass
class Source:
    """Where a value was made, and of what."""

    spot: Spot
    step: Step
    made_of: ast.expr | None = None
    """Evaluated at the spot; None: the path ends, or goes on with the holders."""
    value: Told | None = None
    """What is known of the value there, beside what is known where it is used."""
    note: str = ""
    born: bool = False
    is_part: bool = False
    """It was made of more than `made_of`: that has another value."""
    is_elsewhere: bool = False
    """A function may have set the name since."""
    holders: list[ast.expr] = field(default_factory=list[ast.expr])
    """What the value was read from, where it is not known who put it there."""

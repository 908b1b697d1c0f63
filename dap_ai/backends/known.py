"""What is known of debug adapters that have no recipe of their own: measured, by benchmarks/wedge.py.

An adapter is known by what it announces; before that, by the name of its program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Facts(NamedTuple):
    """What an adapter must not be sent: see dap_ai.backends.Backend."""

    denied: Mapping[str, str] = {}
    wedged_while_running: frozenset[str] = frozenset()
    wedged_when_ended: frozenset[str] = frozenset()
    vendor_requests: frozenset[str] | None = None
    ends_without_arguments: bool = False
    scopes_shared: bool = False


_LLDB_ENDED = frozenset({"configurationDone", "continue"})
LLDB_DAP_19 = Facts(
    denied={"locations": "it came with lldb-dap 20"},
    wedged_when_ended=_LLDB_ENDED,
    scopes_shared=True,
    vendor_requests=frozenset({"compileUnits", "_testGetTargetBreakpoints"}),
    ends_without_arguments=True,
)
"""lldb-dap up to 19, lldb-vscode before it: whatever they do not know ends them, and the debuggee with them."""
LLDB_DAP = Facts(wedged_when_ended=_LLDB_ENDED, scopes_shared=True)
"""lldb-dap from 20 on."""

_BY_CAPABILITY = {"__lldb": LLDB_DAP_19, "$__lldb_version": LLDB_DAP}
"""By a capability that no other adapter has."""
_BY_PROGRAM = {r"lldb-(dap|vscode)\b": LLDB_DAP_19}
"""By how the program's name begins; of several versions the one that bears least."""


def of(argv: list[str], announced: frozenset[str] = frozenset()) -> Facts:
    """What is known of the adapter that this command line starts and that announces these capabilities."""
    for capability, facts in _BY_CAPABILITY.items():
        if capability in announced:
            return facts
    program = Path(argv[0]).name.lower() if argv else ""
    return next((facts for pattern, facts in _BY_PROGRAM.items() if re.match(pattern, program)), Facts())

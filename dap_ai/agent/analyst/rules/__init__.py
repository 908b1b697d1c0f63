"""Rules of known mistakes. Each looks at one function and gives findings; none is sure by itself."""

from __future__ import annotations

from dap_ai.agent.analyst.findings import Rule
from dap_ai.agent.analyst.rules import bounds, calls, conditions, names, returns, sharing

TABLE: list[Rule] = [*bounds.RULES, *returns.RULES, *names.RULES, *calls.RULES, *sharing.RULES, *conditions.RULES]

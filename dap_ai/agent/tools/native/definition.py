"""`definition` in a native program."""

from __future__ import annotations

from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.definition import DefinitionTool


class NativeDefinition(DefinitionTool):
    """Without a language server by its name, in the program's files."""

    otherwise = "`search` finds where a text stands, `type` what a variable or a type is"

    def is_offered(self, bench: Bench) -> bool:
        """Always: the files can be searched."""
        del bench
        return True

"""The tools that do their work in another way in a native program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.agent.tools.base import Tool
from dap_ai.agent.tools.native.definition import NativeDefinition
from dap_ai.agent.tools.native.evaluate import NativeEvaluate
from dap_ai.agent.tools.native.stack import NativeStack, NativeThreads
from dap_ai.agent.tools.native.variables import NativeVariables

_ALL: tuple[Tool[Any], ...] = (NativeStack(), NativeThreads(), NativeVariables(), NativeEvaluate(), NativeDefinition())
FORMS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in _ALL}
"""By name."""

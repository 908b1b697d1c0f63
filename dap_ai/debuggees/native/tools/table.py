"""The table of tools for native programs: tools of their own, and native forms of general tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dap_ai.agent.tools.base import Tool
from dap_ai.debuggees.native.tools.code import code_
from dap_ai.debuggees.native.tools.disassemble import disassemble
from dap_ai.debuggees.native.tools.frames import frames
from dap_ai.debuggees.native.tools.memory_tool import memory
from dap_ai.debuggees.native.tools.native_forms import FORMS as OTHERS
from dap_ai.debuggees.native.tools.registers import registers
from dap_ai.debuggees.native.tools.type_of import type_

_OWN: tuple[Tool[Any], ...] = (code_, type_, frames, registers, memory, disassemble)
FORMS: Mapping[str, Tool[Any]] = {**OTHERS, **{tool.name: tool for tool in _OWN}}
"""All tools for native programs, by name."""

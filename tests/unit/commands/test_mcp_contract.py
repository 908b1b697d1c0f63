"""What an MCP client is told of the tools, and what becomes of arguments that do not fit."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from dap_ai.commands.mcp.mcp_contract import INSTRUCTIONS, TOOLS, BadCall, McpAsk, McpTryFix, call_of, schema_of
from dap_ai.protocol.contracts.tool_arguments import LineEdit

MOST_CHARS = 5200
"""1,500 tokens have more: `benchmarks/mcp_servers.py` counts both."""


def test_all_tools_together_are_small_enough_to_stand_in_every_conversation():
    told = [{"name": name, "description": kind.told, "inputSchema": schema_of(kind)} for name, kind in TOOLS.items()]
    assert len(json.dumps(told, separators=(",", ":"))) + len(INSTRUCTIONS) <= MOST_CHARS


def test_the_tool_to_begin_with_comes_first():
    assert next(iter(TOOLS)) == "ask"
    assert "`ask`" in INSTRUCTIONS


@pytest.mark.parametrize("kind", TOOLS.values(), ids=list(TOOLS))
def test_each_schema_is_valid_and_complete(kind):
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(kind.__struct_fields__)
    assert "$ref" not in json.dumps(schema)


def test_what_fits_the_schema_is_taken():
    edit = {"file": "shop.py", "first": 3, "last": 3, "text": "x = 1"}
    call = call_of("try_fix", {"edits": [edit]})
    assert isinstance(call, McpTryFix)
    assert call.edits == [LineEdit("shop.py", 3, 3, "x = 1")]
    assert call_of("ask", {"question": "why?", "frame": 2}) == McpAsk(question="why?", frame=2)


def test_a_wrong_argument_is_named_with_those_that_there_are():
    with pytest.raises(BadCall, match=r"evaluate: .*`code`.* It takes: expression, frame, session\."):
        call_of("evaluate", {"code": "1"})
    with pytest.raises(BadCall, match=r"sessions: .* It takes: nothing\."):
        call_of("sessions", {"all": True})
    with pytest.raises(BadCall, match=r"There is no tool step; there are: ask, sessions, "):
        call_of("step", {})

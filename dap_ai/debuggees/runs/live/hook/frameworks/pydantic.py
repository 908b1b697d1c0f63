"""Hook points for Pydantic AI: function tools of every toolset, and nested runs."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, AsyncGenerator

from .. import gate_messages
from ..current_agent import agent
from ..hook_points import Point
from ..tool_calls import CallShape, given, of_call, unchanged


class _Validated(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        validated = given(args, kwargs, 1, "validated")
        if not validated.args_valid or validated.deferral is not None:
            return None
        return validated.call.tool_name, validated.call.args_as_dict(), validated.call.tool_call_id

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        validated = given(args, kwargs, 1, "validated")
        unchanged(tool, validated.call.tool_name)
        found = validated.tool.args_validator.validate_python(arguments)
        call = dataclasses.replace(validated.call, args=arguments)
        made = dataclasses.replace(validated, call=call, validated_args=found)
        kept = {key: value for key, value in kwargs.items() if key != "validated"}
        return (args[0], made), kept

    def text(self, result: Any) -> Any:
        value = getattr(result, "return_value", result)
        said = value if isinstance(value, str) else gate_messages.encoded(value).decode()
        return said, "unknown"

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        return text


def _iter(original: Any) -> Any:
    """Wrap `Agent.iter`. No local variable here may hold the agent, which infers its name from such a variable."""

    @contextlib.asynccontextmanager
    async def run(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        with agent(getattr(args[0], "name", None) or ""):
            async with original(*args, **kwargs) as found:
                yield found

    return run


POINTS = [
    Point("pydantic_ai.agent", "Agent.iter", ["self", "user_prompt", "infer_name"], _iter),
    Point(
        "pydantic_ai.tool_manager",
        "ToolManager.execute_tool_call",
        ["self", "validated", "wrap_validation_errors"],
        of_call(_Validated()),
    ),
]

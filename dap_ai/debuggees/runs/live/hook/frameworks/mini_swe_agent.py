"""Hook points for mini-swe-agent 2, whose environment runs commands from tool calls or from the model's text."""

from __future__ import annotations

from typing import Any

from ..current_agent import of_agent, unnamed
from ..hook_points import Point
from ..tool_calls import CallShape, given, of_call, word


class _Command(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        action = given(args, kwargs, 1, "action")
        return "bash", {"command": action.get("command", "")}, action.get("tool_call_id")

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        if tool != "bash":
            raise ValueError("there is no tool but bash")
        action = dict(given(args, kwargs, 1, "action"), command=word(arguments, "command"))
        return ((args[0], action) + tuple(args[2:]), kwargs) if len(args) > 1 else (args, dict(kwargs, action=action))

    def text(self, result: Any) -> Any:
        code = result.get("returncode")
        words = [result.get("output") or "", result.get("exception_info") or ""]
        return "\n".join(filter(None, words)), "unknown" if code is None else "error" if code else "ok"

    def exit_code(self, result: Any) -> Any:
        return result.get("returncode")

    def failure(self, error: Any) -> Any:
        if type(error).__name__ != "Submitted":
            return super().failure(error)
        found = [message.get("content", "") for message in getattr(error, "messages", ())]
        return "\n".join(map(str, found)), "ok"

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        return dict(result or {"returncode": 0}, output=text, exception_info="")


_CALL = of_call(_Command())
POINTS = [
    Point("minisweagent.agents.default", "DefaultAgent.run", ["self", "task"], of_agent(unnamed)),
    Point("minisweagent.environments.local", "LocalEnvironment.execute", ["self", "action", "cwd"], _CALL),
    Point("minisweagent.environments.docker", "DockerEnvironment.execute", ["self", "action", "cwd"], _CALL),
]

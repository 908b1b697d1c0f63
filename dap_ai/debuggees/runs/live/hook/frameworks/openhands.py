"""Hook points for the OpenHands SDK: tools of a conversation, which the agent runs in its own threads."""

from __future__ import annotations

import importlib
from typing import Any

from ..current_agent import of_agent, unnamed
from ..hook_points import Point
from ..tool_calls import CallShape, given, of_call

_AGENT = "openhands.sdk.agent.agent"
_CONVERSATION = "openhands.sdk.conversation.impl.local_conversation"


class _Action(CallShape):
    def read(self, args: Any, kwargs: Any) -> Any:
        event = given(args, kwargs, 2, "action_event")
        if event.action is None:
            return None
        return event.tool_name, event.action.model_dump(exclude={"kind"}), event.tool_call_id

    def edited(self, args: Any, kwargs: Any, tool: Any, arguments: Any) -> Any:
        event = given(args, kwargs, 2, "action_event")
        mine = args[0].tools_map.get(tool)
        if mine is None:
            raise ValueError("%s is no tool of this agent" % tool)
        made = event.model_copy(update={"tool_name": tool, "action": mine.action_from_arguments(arguments)})
        conversation = given(args, kwargs, 1, "conversation")
        return (args[0], conversation, made), {}

    def text(self, result: Any) -> Any:
        last = result[-1] if result else None
        seen = getattr(last, "observation", None)
        if seen is None:
            return str(getattr(last, "error", "")), "error"
        return seen.text, "error" if seen.is_error else "unknown"

    def exit_code(self, result: Any) -> Any:
        code = getattr(getattr(result[-1] if result else None, "observation", None), "exit_code", None)
        return code if isinstance(code, int) and code >= 0 else None

    def made(self, text: Any, result: Any, args: Any, kwargs: Any) -> Any:
        event = given(args, kwargs, 2, "action_event")
        content: Any = importlib.import_module("openhands.sdk.llm").TextContent(text=text)  # as installed for the agent
        if result is not None and getattr(result[-1], "observation", None) is not None:
            seen = result[-1].observation.model_copy(update={"content": [content]})
            return [*result[:-1], result[-1].model_copy(update={"observation": seen})]
        seen = args[0].tools_map[event.tool_name].observation_type.from_text(text)
        names = {"tool_name": event.tool_name, "tool_call_id": event.tool_call_id}
        made: Any = importlib.import_module("openhands.sdk.event").ObservationEvent
        return [made(observation=seen, action_id=event.id, **names)]


_RUN = of_agent(unnamed)
POINTS = [
    Point(_AGENT, "Agent._execute_action_event", ["self", "conversation", "action_event"], of_call(_Action())),
    Point(_CONVERSATION, "LocalConversation.run", ["self"], _RUN),
    Point(_CONVERSATION, "LocalConversation.arun", ["self"], _RUN),
]

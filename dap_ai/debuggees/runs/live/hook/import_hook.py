"""Detects agent frameworks when they are imported, and wraps their functions."""

from __future__ import annotations

import contextlib
import importlib.util
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs each agent process 2 ms
    from typing import Any

MODULES = {
    "minisweagent.agents.default": "mini_swe_agent",
    "minisweagent.environments.local": "mini_swe_agent",
    "minisweagent.environments.docker": "mini_swe_agent",
    "agents.run_internal.run_loop": "openai_agents",
    "agents.run_internal.tool_execution": "openai_agents",
    "smolagents.agents": "smol",
    "smolagents.local_python_executor": "smol",
    "pydantic_ai.agent": "pydantic",
    "pydantic_ai.tool_manager": "pydantic",
    "langchain_core.tools.base": "langchain",
    "langgraph.pregel.main": "langchain",
    "openhands.sdk.conversation.impl.local_conversation": "openhands",
    "openhands.sdk.agent.agent": "openhands",
    "openai._base_client": "sdks",
    "anthropic._base_client": "sdks",
}
"""Modules with functions to wrap, and for each the file in frameworks/ with its hook points."""


class FrameworkFinder:
    """Meta path finder that finds modules with the other finders, and patches the frameworks among them."""

    def __init__(self) -> None:
        self._finding: Any = set()

    def find_spec(self, name: Any, path: Any = None, target: Any = None) -> Any:
        """Return a framework module's spec from the other finders; its loader patches the module after execution."""
        if name not in MODULES or name in self._finding:
            return None
        self._finding.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._finding.discard(name)
        if spec is not None and spec.loader is not None:
            _behind(name, spec.loader)
        return spec


def install() -> Any:
    """Install the finder, and patch frameworks that are already imported."""
    sys.meta_path.insert(0, FrameworkFinder())
    for name in MODULES:
        if name in sys.modules:
            _patch(name, sys.modules[name])


def _behind(name: Any, loader: Any) -> Any:
    execute = loader.exec_module

    def exec_module(module: Any) -> Any:
        execute(module)
        if module.__name__ == name:  # an archive's loader also loads other modules
            _patch(name, module)

    with contextlib.suppress(AttributeError):
        loader.exec_module = exec_module  # not replaced: others ask the loader for sources and resources


def _patch(name: Any, module: Any) -> Any:
    from .hook_points import patch

    patch(MODULES[name], name, module)

"""A transcript as dap_ai's agent writes it."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import dap_ai.agent


def written(folder: Path) -> Path:
    """The file of one conversation."""
    transcript = _class().of(str(folder), "conversation-1", "dap-ai-ask-1", lambda message: message)
    transcript.keep({"role": "user", "content": "a stop\nQuestion: where is it set?"})
    transcript.keep({"role": "assistant", "content": "In line 3."})
    return next(folder.glob("*.jsonl"))


def _class() -> Any:
    """`Transcript`, wherever in the agent's rooms it lives."""
    names = [module.name for module in pkgutil.walk_packages(dap_ai.agent.__path__, "dap_ai.agent.")]
    name = next(name for name in names if name.endswith(".transcript"))
    return importlib.import_module(name).Transcript

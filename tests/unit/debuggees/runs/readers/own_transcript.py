"""A transcript as dap_ai's agent writes it."""

from __future__ import annotations

from pathlib import Path

from dap_ai.agent.loop.transcript_file import Transcript


def written(folder: Path) -> Path:
    """The file of one conversation."""
    transcript = Transcript.of(str(folder), "conversation-1", "dap-ai-ask-1", lambda message: message)
    transcript.keep({"role": "user", "content": "a stop\nQuestion: where is it set?"})
    transcript.keep({"role": "assistant", "content": "In line 3."})
    return next(folder.glob("*.jsonl"))

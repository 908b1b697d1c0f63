"""The colours of what is seen in a run; every one of them is also said in words or letters."""

from __future__ import annotations

from typing import Any

VERDICTS: dict[str, dict[str, Any]] = {
    "solved": {"fg": "green", "bold": True},
    "failed": {"fg": "red", "bold": True},
    "limit": {"fg": "yellow", "bold": True},
    "error": {"fg": "magenta", "bold": True},
    "unknown": {"dim": True},
}
EFFECTS: dict[str, dict[str, Any]] = {
    "change": {"fg": "yellow"},
    "verify": {"fg": "cyan"},
    "install": {"fg": "magenta"},
    "submit": {"fg": "green"},
    "run": {"fg": "blue"},
    "explore": {"dim": True},
    "message": {},
}
STAGES: dict[str, dict[str, Any]] = {
    "environment": {"bg": "white", "fg": "black"},
    "dependencies": {"bg": "magenta", "fg": "white"},
    "inspection": {"bg": "blue", "fg": "white"},
    "patching": {"bg": "yellow", "fg": "black"},
    "verification": {"bg": "cyan", "fg": "black"},
    "submission": {"bg": "green", "fg": "black"},
}

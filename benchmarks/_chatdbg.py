"""ChatDBG, the peer of benchmarks/agent.py: put into a virtual environment of its own, and run on a terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
from _screen import Screen

VERSION = "1.0.1"
HOME = platformdirs.user_cache_path("dap-ai") / "benchmarks" / f"chatdbg-{VERSION}"
_INSTALLED = HOME / "installed"
_STANDS = "post mortem"
_PROMPT = "(ChatDBG) "


def install() -> str:
    """Puts ChatDBG where it is not yet; why that cannot be, or nothing."""
    if _INSTALLED.exists():
        return ""
    print(f"installing chatdbg {VERSION} with pip into {HOME}: this needs the network, and a minute", file=sys.stderr)
    shutil.rmtree(HOME, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(HOME)],
        [str(_python()), "-m", "pip", "install", "--quiet", f"chatdbg=={VERSION}"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"chatdbg could not be installed: {(done.stderr or done.stdout).strip()[-300:]}"
    _INSTALLED.touch()
    return ""


class ChatDBG:
    """One run of ChatDBG on a program; it stands at the exception and waits for a question."""

    def __init__(self, program: Path, endpoint: str) -> None:
        command = [str(_python()), "-m", "chatdbg", "-c", "continue", str(program)]
        self.screen = Screen(command, {**os.environ, **_settings(endpoint)})
        self.screen.wait_for(_STANDS)
        self.ready = self.screen.wait_for(_PROMPT)

    def ask(self, question: str) -> float:
        """Types the question; when."""
        return self.screen.type(question)

    def renew(self) -> None:
        """Begins another conversation: the next question has a whole context again."""
        self.screen.type("renew")
        self.screen.wait_for("Ready to start a new dialog")
        self.screen.wait_for(_PROMPT)

    def answered(self, last_word: str) -> float:
        """When the last word of the answer was shown; returns once it waits for the next question."""
        shown = self.screen.wait_for(last_word)
        self.screen.wait_for("[Cost:")
        self.screen.wait_for(_PROMPT)
        return shown

    def close(self) -> None:
        """Ends it and the program."""
        self.screen.close()


def _python() -> Path:
    return HOME / "bin" / "python"


def _settings(endpoint: str) -> dict[str, str]:
    return {
        "OPENAI_API_BASE": endpoint,
        "OPENAI_API_KEY": "none",
        "CHATDBG_MODEL": "gpt-4o",
        "CHATDBG_LOG": os.devnull,
        "IPYTHONDIR": str(HOME / "ipython"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # spares it a download at each start
        "PYTHONWARNINGS": "ignore",  # its pydantic warns of litellm at each reply
        "TERM": "xterm-256color",
    }

"""For users at a terminal: shows a failed test's answer at once, and can pause the process at the failure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import pytest

from dap_ai.debuggees.python.hosts import post_mortem_api
from dap_ai.debuggees.python.hosts.testing.doctests import asserted
from dap_ai.debuggees.python.hosts.testing.failure_frames import FrameFilter

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.testing.failure_findings import FailureFinding

_HOW = """\
held where it has failed, until Ctrl-C here or `continue` there:
  dap-ai ask --post-mortem {address}            why did it fail?
  dap-ai ask --post-mortem {address} --chat     ask, evaluate, trace
  dap-ai serve --post-mortem {address}          for an editor that attaches (docs/post-mortem.md)"""


class FailurePrompt:
    """Writes answers to the terminal while pytest's output capture is suspended."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._root = str(config.rootpath)

    def show(self, found: FailureFinding) -> None:
        """Shows the answer to a failure, before pdb's prompt appears."""
        text = found.get("text")
        if text:
            self._write(f"\n{text}")

    def hold(self, exc: BaseException, found: FailureFinding) -> None:
        """Pauses the process until a client continues it; prints the reason if it cannot be paused."""
        capture: Any = self._config.pluginmanager.getplugin("capturemanager")
        if capture:
            capture.suspend_global_capture(in_=True)
        try:
            self.show(found)
            with asserted(exc) as failed:
                server = post_mortem_api.serving(failed.exc, FrameFilter(failed.exc, self._root), folder=self._root)
                post_mortem_api.wait(server, lambda address: self._write(_HOW.format(address=shlex.quote(address))))
        except (OSError, ValueError) as error:
            self._write(f"{found['nodeid']} cannot be held: {error}")
        finally:
            if capture:
                capture.resume_global_capture()

    def _write(self, text: str) -> None:
        terminal: Any = self._config.pluginmanager.getplugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(text)
            terminal.flush()

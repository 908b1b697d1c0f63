"""A real Emacs with dape, set up by the snippets of docs/editors.md.

Looked for: emacs (29 or newer) by DAP_AI_EMACS, else on PATH; dape's folder by DAP_AI_DAPE, else among ELPA's packages.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.editors.running import find_folder, find_program, run_editor
from tests.e2e.editors.snippets import snippets
from tests.patience import patient

EMACS = find_program("DAP_AI_EMACS", "emacs")
DAPE = find_folder("DAP_AI_DAPE", "dape.el", ".emacs.d/elpa/dape-*", ".config/emacs/elpa/dape-*")
OLDEST = 29
Find = Callable[..., Any]


def _version() -> int:
    if not EMACS:
        return 0
    said = subprocess.run([EMACS, "--version"], capture_output=True, timeout=patient(20), text=True).stdout
    found = re.search(r"GNU Emacs (\d+)", said)
    return int(found[1]) if found else 0


pytestmark = [
    pytest.mark.skipif(_version() < OLDEST, reason=f"no emacs {OLDEST} on PATH, nor in DAP_AI_EMACS"),
    pytest.mark.skipif(not DAPE, reason="no dape among ELPA's packages, nor in DAP_AI_DAPE"),
]

_DRIVER = """;;; -*- lexical-binding: t; -*-
(setq seen nil)
(defun save ()
  (let ((coding-system-for-write 'binary))
    (with-temp-file (getenv "SEEN") (insert (json-serialize seen)))))
(defun wait (what condition)
  (with-timeout (20 (setq seen (plist-put seen :failed what)) (save) (kill-emacs 1))
    (while (not (funcall condition)) (accept-process-output nil 0.02))))
(defun text (name)
  (if-let* ((buffer (get-buffer name)))
      (with-current-buffer buffer (buffer-substring-no-properties (point-min) (point-max)))
    ""))
(add-to-list 'load-path (getenv "DAPE"))
(load (expand-file-name "init.el" (getenv "FOLDER")) nil t)
(require 'dape)
(find-file (getenv "PROGRAM"))
(python-mode)
(dape (dape--config-eval 'dap-ai '(:console "internalConsole")))
(wait "the stop at the exception"
      (lambda () (when-let* ((conn (dape--live-connection 'stopped t))) (dape--current-stack-frame conn))))
(setq seen (plist-put seen :line (plist-get (dape--current-stack-frame (dape--live-connection 'stopped)) :line)))
(dape-evaluate-expression (dape--live-connection 'stopped) "??")
(wait "the answer in the REPL" (lambda () (string-search "Recommendation" (text "*dape-repl*"))))
(setq seen (plist-put seen :repl (text "*dape-repl*")))
(dap-ai-ask "why is it so")
(wait "the answer in a buffer" (lambda () (string-search "Recommendation" (text "*dap-ai*"))))
(setq seen (plist-put seen :buffer (text "*dap-ai*")))
(dape-quit)
(wait "the end of the session" (lambda () (not (dape--live-connection 'parent t))))
(save)
(kill-emacs 0)
"""


@pytest.fixture
def seen(tmp_path: Path, debuggee: Find) -> dict[str, Any]:
    """What Emacs has seen of one session: where it stopped, its REPL, its buffer."""
    head = ";;; -*- lexical-binding: t; -*-\n"
    (tmp_path / "init.el").write_text(head + "\n".join(snippets("Emacs", "elisp")))
    driver = tmp_path / "driver.el"
    driver.write_text(_DRIVER)
    variables = {"DAPE": str(DAPE), "PROGRAM": str(debuggee("crash").path)}
    return run_editor([EMACS, "-Q", "--batch", "-l", str(driver)], tmp_path, variables)


def test_emacs_stops_asks_in_its_repl_and_by_the_command_of_the_docs(seen: dict[str, Any], debuggee: Find):
    assert seen["line"] == debuggee("crash").line
    assert "What happened." in seen["repl"]
    assert "**" not in seen["repl"], "the REPL renders no Markdown"
    assert "**What happened.**" in seen["buffer"]

"""A recorded run in a real Emacs with dape, by the docs' snippet; see test_emacs.py for what is looked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.editors import test_emacs
from tests.e2e.editors.running import run_editor
from tests.e2e.editors.snippets import snippets

pytestmark = test_emacs.pytestmark
RUN = Path(__file__).parents[3] / "examples/runs/discount.traj.json"

_DRIVER = """;;; -*- lexical-binding: t; -*-
(setq seen nil)
(defun save ()
  (let ((coding-system-for-write 'binary))
    (with-temp-file (getenv "SEEN") (insert (json-serialize seen)))))
(defun wait (what condition)
  (with-timeout ((/ (string-to-number (getenv "WAIT_MS")) 1000.0)
                 (setq seen (plist-put seen :failed what)) (save) (kill-emacs 1))
    (while (not (funcall condition)) (accept-process-output nil 0.02))))
(defun text (name)
  (if-let* ((buffer (get-buffer name)))
      (with-current-buffer buffer (buffer-substring-no-properties (point-min) (point-max)))
    ""))
(defun frame () (when-let* ((conn (dape--live-connection 'stopped t))) (dape--current-stack-frame conn)))
(defun stopped (what move)
  (let ((before (frame)))
    (funcall move)
    (wait what (lambda () (and (frame) (not (eq (frame) before)))))
    (setq seen (plist-put seen (intern (concat ":" what))
                          (list :line (plist-get (frame) :line) :name (plist-get (frame) :name)
                                :file (plist-get (plist-get (frame) :source) :name))))))
(add-to-list 'load-path (getenv "DAPE"))
(load (expand-file-name "init.el" (getenv "FOLDER")) nil t)
(require 'dape)
(defun dap-ai-read-run () (getenv "RUN")) ; nobody is there to be asked
(stopped "entry" (lambda () (dape (dape--config-eval 'dap-ai-agent nil))))
(stopped "into" (lambda () (dape-step-in (dape--live-connection 'stopped))))
(stopped "back" #'dap-ai-step-back)
(dape-breakpoint-function "tool:* if \\"pytest\\" in args.command and step > 3")
(wait "the breakpoint"
      (lambda () (cl-some (lambda (b) (and (dape--function-breakpoint-p b) (dape--breakpoint-verified b)))
                          dape--breakpoints)))
(stopped "breakpoint" (lambda () (dape-continue (dape--live-connection 'stopped))))
(defun frames () (plist-get (dape--current-thread (dape--live-connection 'stopped)) :stackFrames))
(wait "the stack" (lambda () (nth 1 (frames))))
(dape-select-stack (dape--live-connection 'stopped)
                   (plist-get (nth 1 (frames)) :id))
(wait "the event's document" (lambda () (get-buffer "016-call-bash.json")))
(setq seen (plist-put seen :document (text "016-call-bash.json")))
(stopped "filter" (lambda () (dape-continue (dape--live-connection 'stopped))))
(dape-evaluate-expression (dape--live-connection 'stopped) "??why did it fail")
(wait "the answer in the REPL" (lambda () (string-search "Recommendation" (text "*dape-repl*"))))
(setq seen (plist-put seen :repl (text "*dape-repl*")))
(dape-quit)
(wait "the end of the session" (lambda () (not (dape--live-connection 'parent t))))
(save)
(kill-emacs 0)
"""


@pytest.fixture
def seen(tmp_path: Path) -> dict[str, Any]:
    """What Emacs has seen of the run, stop by stop."""
    head = ";;; -*- lexical-binding: t; -*-\n"
    (tmp_path / "init.el").write_text(head + "\n".join(snippets("Runs of agents", "elisp")))
    driver = tmp_path / "driver.el"
    driver.write_text(_DRIVER)
    variables = {"DAPE": str(test_emacs.DAPE), "RUN": str(RUN)}
    return run_editor([test_emacs.EMACS, "-Q", "--batch", "-l", str(driver)], tmp_path, variables)


def test_a_run_is_stepped_through_stopped_at_and_asked_about(seen: dict[str, Any]):
    assert seen["entry"]["file"] == "run.md"
    assert seen["into"]["line"] == seen["entry"]["line"] + 1
    assert seen["back"]["line"] == seen["entry"]["line"]
    assert "bash: python -m pytest -q" in seen["breakpoint"]["name"]
    assert json.loads(seen["document"]) == {"tool": "bash", "arguments": {"command": "python -m pytest -q"}}
    assert "COMPLETE_TASK" in seen["filter"]["name"]
    assert "went wrong at step 4" in seen["repl"]

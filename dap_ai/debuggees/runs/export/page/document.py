"""The HTML page: a run and its view in one file that needs no network.

The page shows the same view as the VS Code extension (vscode-extension/src/runview); page.js and page.css are built
from the extension's sources. The run is embedded as JSON in a block that browsers do not execute, and the view never
parses the run's text as markup.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import lru_cache
from html import escape
from importlib.resources import files

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.export.encoding import encoded
from dap_ai.debuggees.runs.export.view.build_view import Patch, bound_of, view_of
from dap_ai.debuggees.runs.export.view.view_shape import RunsView, RunView
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.protocol.wire.visible import in_json, visible


def exported(run: Run, analysis: RunAnalysis, *, masked: bool = True, patch: Patch | None = None) -> dict[str, bytes]:
    """Export the run as an HTML page. Returns the contents of each file by name (`run.html`).

    `patch` returns the diff lines of a workspace change.
    """
    view = view_of(run, analysis, masked=masked, most_chars=bound_of(run), patch=patch)
    return {"run.html": document(view).encode("utf-8")}


def document(view: RunView | RunsView) -> str:
    """Return the HTML page of a view as text."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    title = f"{view.name}: {view.verdict}" if isinstance(view, RunView) else " and ".join(run.name for run in view.runs)
    return "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
            f"<title>{escape(visible(title))}</title><style>{style}</style></head><body>",
            '<div id="app"></div><noscript>The run is in this file; to show it, the page needs its script.</noscript>',
            f'<script type="application/json" id="run">{_data(view)}</script><script>{script}</script></body></html>\n',
        )
    )


def _data(view: RunView | RunsView) -> str:
    """Return the view as JSON that can neither end the script element around it nor start a comment there."""
    text = encoded(view, indent=-1).decode("utf-8").strip()
    return in_json(text).replace("<", "\\u003c")


@lru_cache(maxsize=2)
def _asset(name: str) -> str:
    return (files("dap_ai.debuggees.runs.export.page") / name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    return b64encode(hashlib.sha256(content.encode()).digest()).decode()

"""What `dap-ai mcp --help` tells of each coding agent can be pasted as it stands."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from dap_ai.cli import main
from dap_ai.commands.mcp.mcp_clients import HOSTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SERVER = {"command": "dap-ai", "args": ["mcp"]}
DOCS = Path(__file__).parents[3] / "docs" / "mcp.md"


def test_the_help_shows_every_line_of_it_unbroken():
    shown = CliRunner().invoke(main, ["mcp", "--help"]).output
    lines = {line.strip() for line in shown.splitlines()}
    assert lines >= {line for how in HOSTS.values() for line in how.splitlines()}


@pytest.mark.parametrize(
    ("host", "key"), [("qwen-code", "mcpServers"), ("VS Code", "servers"), ("Cursor", "mcpServers")]
)
def test_json_is_json_and_names_the_server(host: str, key: str):
    found = re.search(r"^\{.*\}$", HOSTS[host], re.MULTILINE)
    assert found
    assert json.loads(found[0]) == {key: {"dap-ai": SERVER}}


def test_toml_is_toml_and_names_the_server():
    text = HOSTS["codex"]
    assert tomllib.loads(text[text.index("[mcp_servers") :]) == {"mcp_servers": {"dap-ai": SERVER}}


def test_the_documentation_shows_the_same():
    text = DOCS.read_text(encoding="utf-8")
    for name, how in HOSTS.items():
        assert name in text
        assert all(line in text for line in how.splitlines() if not line.startswith(("in ", "or in ")))


def test_at_a_terminal_it_says_who_starts_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", _Terminal())
    with pytest.raises(click.UsageError, match=r"a coding agent starts this.*--help"):
        main(["mcp"], standalone_mode=False)


class _Terminal:
    def isatty(self) -> bool:
        return True

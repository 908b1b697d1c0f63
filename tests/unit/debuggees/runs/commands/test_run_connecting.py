from __future__ import annotations

import json

import pytest

from dap_ai.debuggees.runs.commands.parts.editor_snippets import dape, lines, nvim_dap, vscode
from dap_ai.protocol.wire.visible import visible

HOSTILE = 'a"b\\c\x1b[2J\u202e\n{}()é'


def test_the_configuration_of_vs_code_is_json_whatever_the_runs_name_is():
    found = json.loads(vscode(HOSTILE, 4711, "t"))
    assert found == {
        "name": HOSTILE,
        "type": "dap-ai-agent",
        "request": "launch",
        "debugServer": 4711,
        "dapAiToken": "t",
    }


def test_a_token_of_the_environment_is_read_there():
    told = "\n".join(lines("run", "127.0.0.1", 4711, ""))
    assert '"${env:DAP_AI_TOKEN}"' in told
    assert 'dapAiToken = os.getenv("DAP_AI_TOKEN")' in told
    assert ':dapAiToken (getenv "DAP_AI_TOKEN")' in told


@pytest.mark.parametrize("name", [HOSTILE, "plain", "zwölf"])
def test_nothing_of_a_name_acts_on_the_terminal_and_each_line_stays_one(name: str):
    told = list(lines(name, "127.0.0.1", 4711, "t"))
    assert all(visible(line) == line and "\n" not in line for line in told)


def test_each_editor_is_told_port_and_token():
    assert nvim_dap("run", "127.0.0.1", 4711, "t") == [
        'require("dap").adapters["dap-ai-agent"] = { type = "server", host = "127.0.0.1", port = 4711 }',
        'require("dap").run({ type = "dap-ai-agent", request = "launch", name = "run", dapAiToken = "t" })',
    ]
    expected = '(dape (list \'host "127.0.0.1" \'port 4711 :type "dap-ai-agent" :request "launch" :dapAiToken "t"))'
    assert dape("127.0.0.1", 4711, "t") == expected

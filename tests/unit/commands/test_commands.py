"""`dap-ai`, `dap-ai config`, `dap-ai doctor`, and what `dap-ai serve` refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dap_ai import __version__
from dap_ai.cli import main
from dap_ai.commands import doctor
from dap_ai.commands.display.settings_table import table
from dap_ai.settings.configuration import Settings


def invoke(*arguments, **environment):
    return CliRunner().invoke(main, arguments, env=environment)


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_version_is_told():
    assert invoke("--version").output.split() == ["dap-ai,", "version", __version__]


def test_help_names_every_command_and_teaches_by_example():
    text = invoke("--help").output
    assert all(name in text for name in ("ask", "serve", "config", "doctor"))
    assert "dap-ai ask program.py" in text


@pytest.mark.parametrize("command", ["ask", "serve"])
def test_help_of_a_command_has_examples(command):
    assert "Examples:" in invoke(command, "--help").output


def test_the_exit_codes_are_documented():
    text = invoke("ask", "--help").output
    assert all(f"\n  {code:>3}  " in text.replace("    ", "  ") or f" {code}  " in text for code in (0, 1, 2, 3, 130))


def test_an_unknown_command_is_a_usage_error():
    assert invoke("explain").exit_code == 2


def test_a_command_imports_only_what_it_needs():
    code = "import sys, dap_ai.cli; print([m for m in ('rich', 'msgspec', 'anyio', 'debugpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_serve_does_not_import_what_only_a_terminal_needs():
    code = (
        "import sys, dap_ai.commands.serve; print([m for m in ('rich', 'psutil', 'platformdirs') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "rich" not in done.stdout


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.org:80"])
def test_an_open_address_needs_a_token(address):
    result = invoke("serve", "--listen", address, "--no-token")
    assert result.exit_code == 2
    assert "--no-token" in result.output


def test_a_token_and_none_contradict_each_other_unless_one_is_the_environments():
    assert invoke("serve", "--listen", "127.0.0.1:0", "--no-token", "--token", "x").exit_code == 2
    result = invoke("serve", "--listen", "0.0.0.0:0", "--no-token", DAP_AI_TOKEN="x")
    assert "loopback only" in result.output


@pytest.mark.parametrize("address", ["4711x", "localhost", "localhost:99999", ""])
def test_an_address_that_is_none_is_a_usage_error(address):
    assert invoke("serve", "--listen", address or ":").exit_code == 2


def test_an_unknown_backend_is_a_usage_error_that_names_those_there_are():
    result = invoke("serve", "--backend", "lisp")
    assert result.exit_code == 2
    assert "debugpy" in result.output


def test_config_shows_value_and_source(workspace):
    result = invoke("config", DAP_AI_LEVEL="observe")
    assert any(line.split()[:3] == ["level", "observe", "DAP_AI_LEVEL"] for line in result.output.splitlines())


def test_config_tells_an_endpoint_without_its_password():
    assert "hunter2" not in invoke("config", DAP_AI_BASE_URL="http://me:hunter2@localhost/v1").output


def test_a_model_without_key_or_endpoint_is_a_usage_error(workspace):
    (workspace / "p.py").write_text("")
    result = invoke("ask", "--model", "m", "p.py", OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    assert result.exit_code == 2
    assert "OPENAI_API_KEY" in result.output


def test_a_chat_about_a_context_that_is_only_shown_is_a_usage_error():
    assert invoke("ask", "--chat", "--show-context", "p.py").exit_code == 2


def test_an_export_that_cannot_be_written_is_a_usage_error_before_the_program_runs(workspace):
    (workspace / "p.py").write_text("open('ran', 'w')")
    result = invoke("ask", "--export", "nowhere/talk.md", "p.py")
    assert result.exit_code == 2
    assert not (workspace / "ran").exists()


def test_a_transcript_that_is_none_is_a_usage_error(workspace):
    (workspace / "talk.jsonl").write_text("no json")
    result = invoke("transcript", "talk.jsonl")
    assert result.exit_code == 2
    assert "line 1" in result.output


def test_config_as_json_has_every_setting():
    report = json.loads(invoke("config", "--json").output)
    assert set(report["settings"]) == set(Settings.__struct_fields__)
    assert report["settings"]["level"]["source"] == "default"


def test_config_says_who_would_answer():
    assert (
        "nothing leaves this machine"
        in json.loads(invoke("config", "--json", DAP_AI_PROVIDER="offline").output)["answers"]
    )


def test_config_says_why_nobody_could():
    result = invoke("config", DAP_AI_PROVIDER="openai", OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    assert "Who answers: There is no key" in result.output
    assert result.exit_code == 0


def test_a_setting_that_cannot_be_used_is_a_usage_error():
    result = invoke("config", DAP_AI_LEVEL="everything")
    assert result.exit_code == 2
    assert "observe, compute, mutate" in result.output


def test_a_key_that_a_workspace_may_not_set_is_said(workspace):
    (workspace / "pyproject.toml").write_text("[tool.dap-ai]\nprovider = 'evil'\n")
    result = invoke("config")
    assert "'provider' is for your own file" in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize("command", [["config"], ["doctor"], ["sessions"]], ids=" ".join)
@pytest.mark.usefixtures("_quick_doctor")
def test_a_malformed_file_of_the_workspace_stops_no_command(workspace, command):
    (workspace / "pyproject.toml").write_text("[tool.dap-ai")
    result = invoke(*command)
    assert result.exit_code != 2
    assert command == ["sessions"] or f"{workspace / 'pyproject.toml'}: is no valid TOML" in result.output


@pytest.fixture
def _quick_doctor(monkeypatch):
    monkeypatch.setattr(doctor, "_attach", lambda: doctor.DoctorCheck("dap-ai ask --pid", "ok", ""))


@pytest.mark.usefixtures("_quick_doctor")
def test_doctor_finds_all_that_is_needed_here():
    report = json.loads(invoke("doctor", "--json").output)
    assert report["ok"]
    assert {"dap-ai", "debugpy", "the program's Python", "who answers"} <= {check["name"] for check in report["checks"]}


@pytest.mark.usefixtures("_quick_doctor")
def test_doctor_fails_and_advises_if_the_interpreter_does_not_run():
    result = invoke("doctor", DAP_AI_PYTHON="/nowhere/python")
    assert result.exit_code == 1
    assert "--python PATH" in " ".join(result.output.split())


@pytest.mark.usefixtures("_quick_doctor")
def test_doctor_fails_and_advises_without_debugpy(monkeypatch):
    def absent(name):
        raise doctor.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.metadata, "version", absent)
    result = invoke("doctor")
    assert result.exit_code == 1
    assert "pip install" in result.output


@pytest.mark.usefixtures("_quick_doctor")
def test_an_editor_on_path_is_told_how_it_is_connected(tmp_path, monkeypatch):
    (tmp_path / "hx").write_text("#!/bin/sh\n")
    (tmp_path / "hx").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert 'transport = "stdio"' in invoke("doctor").output


def test_a_table_folds_its_last_column_only():
    assert table([("a", "b"), ("long", "one two three four five six")], 30) == [
        "a     b",
        "long  one two three four five",
        "      six",
    ]

from __future__ import annotations

import json
import os
import re
import sys

import msgspec
import pytest

from dap_ai.settings import configuration
from dap_ai.settings.configuration import ConfigError, Settings, launch_key, load, merge_launch


@pytest.fixture
def places(tmp_path):
    """A workspace, and an environment whose user file is `user.toml` beside it."""
    user = tmp_path / "user.toml"
    user.write_text("")
    workspace = tmp_path / "workspace"
    (workspace / "deep").mkdir(parents=True)
    return workspace, user, {"DAP_AI_CONFIG": str(user)}


def test_without_any_file_every_value_is_a_default(places):
    workspace, _, environ = places
    resolved = load(workspace, {}, environ)
    assert resolved.settings == Settings()
    assert set(resolved.sources.values()) == {"default"}


def test_a_later_place_wins_and_is_named_as_the_source(places):
    workspace, user, environ = places
    (workspace / "pyproject.toml").write_text(
        "[tool.dap-ai]\nmarkdown = false\ntheme = 'light'\njust_my_code = false\nexceptions = ['raised']\n"
    )
    user.write_text("theme = 'none'\njust_my_code = true\nexceptions = ['userUnhandled']\nlevel = 'observe'\n")
    environ |= {"DAP_AI_JUST_MY_CODE": "false", "DAP_AI_EXCEPTIONS": "uncaught, raised"}
    resolved = merge_launch(
        load(workspace, {"level": None, "exceptions": ("raised",)}, environ), {"dapAiTheme": "dark"}
    )
    values = {key: (getattr(resolved.settings, key), resolved.sources[key]) for key in resolved.sources}
    assert values["markdown"] == (False, str(workspace / "pyproject.toml"))
    assert values["level"] == ("observe", str(user))
    assert values["just_my_code"] == (False, "DAP_AI_JUST_MY_CODE")
    assert values["exceptions"] == (("raised",), "flag")
    assert values["theme"] == ("dark", "launch arguments")
    assert values["provider"] == ("", "default")


def test_the_nearest_pyproject_is_found_from_a_folder_below(places):
    workspace, _, environ = places
    (workspace / "pyproject.toml").write_text("[tool.dap-ai]\nmarkdown = false\n")
    assert load(workspace / "deep", {}, environ).settings.markdown is False


HOSTILE = {
    "provider": "openai",
    "model": "theirs",
    "base_url": "http://hostile.invalid/v1",
    "max_tool_calls": 0,
    "max_tokens": 0,
    "max_cost_usd": 1e6,
    "record": "/tmp/theirs.jsonl",
    "replay": "theirs.jsonl",
    "allow": ["*"],
    "deny": ["report"],
    "approval_timeout_s": 3600.0,
    "unsafe": True,
    "mask": ["(nothing)"],
    "transcripts": "theirs",
    "level": "mutate",
    "budget_tokens": 1_000_000,
    "ask_timeout_s": 86400.0,
    "thorough": True,
    "snapshots": False,
    "snapshot_reads": ["/"],
    "console_prefix": "?!",
    "answer_file": "theirs.md",
    "sockets": "/tmp/theirs",
    "backend": "theirs",
    "python": "./theirs",
}
"""What a hostile repository would set, for every setting that it may not."""


def test_the_hostile_values_are_of_every_setting_that_a_workspace_may_not_set():
    assert set(HOSTILE) == set(Settings.__struct_fields__) - configuration.WORKSPACE_KEYS
    assert all(msgspec.to_builtins(getattr(Settings(), key)) != value for key, value in HOSTILE.items())


def test_what_a_repository_may_set_is_only_how_things_look_and_where_the_program_stops():
    assert {"exceptions", "just_my_code", "markdown", "theme"} == configuration.WORKSPACE_KEYS
    assert {
        "level",
        "budget_tokens",
        "ask_timeout_s",
        "console_prefix",
    } == configuration.LAUNCH_KEYS - configuration.WORKSPACE_KEYS


@pytest.mark.parametrize("key", HOSTILE)
def test_a_workspace_cannot_set_what_could_harm(places, key):
    workspace, _, environ = places
    (workspace / "pyproject.toml").write_text(f"[tool.dap-ai]\n{key} = {json.dumps(HOSTILE[key])}\n")
    resolved = load(workspace, {}, environ)
    assert resolved.settings == Settings()
    assert len(resolved.warnings) == 1
    assert key in resolved.warnings[0]
    assert "pyproject.toml" in resolved.warnings[0]


def test_a_pyproject_without_our_table_is_nothing_to_us(places):
    workspace, _, environ = places
    (workspace / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    assert load(workspace, {}, environ).settings == Settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("levle = 'observe'", "levle"),
        ("level = 'everything'", "observe, compute, mutate"),
        ("budget_tokens = 'many'", "a whole number from 200 up to 1000000"),
        ("budget_tokens = 3", "budget_tokens"),
        ("exceptions = ['never']", "uncaught, userUnhandled, raised"),
        ("markdown = 1", "true, false"),
        ("markdown", "no valid TOML"),
    ],
)
def test_an_unusable_value_is_refused_with_file_key_and_what_is_allowed(places, text, named):
    workspace, user, environ = places
    user.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(workspace, {}, environ)
    assert named in str(caught.value)
    assert str(user) in str(caught.value)


MALFORMED = {
    "no TOML": b"[tool.dap-ai\nmarkdown = false",
    "not UTF-8": b"[tool.dap-ai]\nmarkdown = '\xff'",
    "a table that is none": b"[tool]\ndap-ai = 3",
    "a tool that is none": b"tool = ['dap-ai']",
    "no such setting": b"[tool.dap-ai]\nlevle = 'observe'",
    "a wrong type": b"[tool.dap-ai]\nmarkdown = 'dark'\ntheme = 5\nexceptions = {a = 1}",
    "too deep": b"[tool.dap-ai]\nmarkdown = " + b"[" * 100_000,
    "too deep a key": b"[tool.dap-ai]\n" + b".".join([b"a"] * 50_000) + b" = 1",
    "a number without end": b"[tool.dap-ai]\nmarkdown = " + b"9" * 100_000,
    "huge": b"[tool.dap-ai]\nmarkdown = '" + b"x" * 10_000_000 + b"'",
    "a thousand settings": b"[tool.dap-ai]\n" + b"".join(b"x%d = 1\n" % n for n in range(1000)),
    "a name without end": b"[tool.dap-ai]\n" + b"x" * 100_000 + b" = 1",
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_whatever_a_workspace_writes_is_a_warning_that_names_the_file_and_nothing_more(places, text):
    workspace, _, environ = places
    file = workspace / "pyproject.toml"
    file.write_bytes(text)
    resolved = load(workspace / "deep", {"level": "observe"}, environ)
    assert resolved.settings == Settings(level="observe")
    assert resolved.warnings
    assert all(str(file) in warning for warning in resolved.warnings)
    assert sum(map(len, resolved.warnings)) < 10_000


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
@pytest.mark.parametrize("kind", ["folder", "pipe", "endless", "loop"])
def test_a_pyproject_that_is_no_file_is_none(places, kind):
    workspace, _, environ = places
    file = workspace / "pyproject.toml"
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "endless":
            file.symlink_to("/dev/zero")
        case _:
            file.symlink_to(file)
    assert load(workspace, {}, environ).settings == Settings()


def test_a_pyproject_that_cannot_be_read_is_a_warning(places, monkeypatch):
    workspace, _, environ = places
    file = workspace / "pyproject.toml"
    file.write_text("[tool.dap-ai]\nmarkdown = false\n")

    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("dap_ai.settings.toml_files.os.open", refuse)
    environ |= {"DAP_AI_CONFIG": os.devnull}
    (warning,) = load(workspace, {}, environ).warnings
    assert str(file) in warning
    assert "Permission denied" in warning


@pytest.mark.parametrize(
    ("text", "named"),
    [(b"theme = 'dark'\nmarkdown = ?\n", "line 2"), (b"\n\ntheme = '\xff'", "line 3"), (b"x" * 1_000_000, "KB")],
)
def test_a_file_of_the_users_own_that_cannot_be_read_is_an_error_with_its_line(places, text, named):
    workspace, user, environ = places
    user.write_bytes(text)
    with pytest.raises(ConfigError, match=named) as caught:
        load(workspace, {}, environ)
    assert str(user) in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder is opened")
def test_a_folder_in_the_place_of_the_users_own_file_is_an_error(places):
    workspace, user, environ = places
    user.unlink()
    user.mkdir()
    with pytest.raises(ConfigError, match=re.escape(str(user))):
        load(workspace, {}, environ)


def test_an_unusable_environment_variable_is_named(places):
    workspace, _, environ = places
    with pytest.raises(ConfigError, match="DAP_AI_ASK_TIMEOUT_S"):
        load(workspace, {}, environ | {"DAP_AI_ASK_TIMEOUT_S": "soon"})


def test_a_misspelt_environment_variable_is_a_warning(places):
    workspace, _, environ = places
    (warning,) = load(workspace, {}, environ | {"DAP_AI_LEVLE": "observe"}).warnings
    assert "DAP_AI_LEVLE" in warning
    assert "DAP_AI_LEVEL?" in warning


def test_token_and_config_are_no_settings(places):
    workspace, _, environ = places
    assert load(workspace, {}, environ | {"DAP_AI_TOKEN": "secret"}).warnings == ()


def test_a_chosen_file_that_is_not_there_is_an_error(places):
    workspace, user, environ = places
    user.unlink()
    with pytest.raises(ConfigError, match="DAP_AI_CONFIG"):
        load(workspace, {}, environ)


def test_an_empty_console_prefix_is_allowed(places):
    workspace, _, environ = places
    assert load(workspace, {}, environ | {"DAP_AI_CONSOLE_PREFIX": ""}).settings.console_prefix == ""


def test_a_wrong_launch_argument_is_refused(places):
    workspace, _, environ = places
    with pytest.raises(ConfigError, match="launch arguments: level"):
        merge_launch(load(workspace, {}, environ), {"dapAiLevel": "everything"})


def test_a_launch_argument_can_lower_the_level_and_never_raise_it(places):
    workspace, _, environ = places
    low = load(workspace, {}, environ | {"DAP_AI_LEVEL": "observe"})
    assert merge_launch(low, {"dapAiLevel": "compute"}).settings.level == "observe"
    assert merge_launch(load(workspace, {}, environ), {"dapAiLevel": "observe"}).settings.level == "observe"
    assert merge_launch(load(workspace, {}, environ), {"dapAiLevel": "mutate"}).settings.level == "compute"


@pytest.mark.parametrize("key", sorted(set(Settings.__struct_fields__) - configuration.LAUNCH_KEYS))
def test_a_launch_argument_cannot_choose_what_runs_or_where_data_goes(places, key):
    workspace, _, environ = places
    hostile = {configuration.launch_key(key): HOSTILE[key], f"dapAi_{key}": HOSTILE[key], key: HOSTILE[key]}
    assert merge_launch(load(workspace, {}, environ), hostile).settings == Settings()


def test_all_hostile_launch_arguments_together_raise_nothing(places):
    workspace, _, environ = places
    hostile = {configuration.launch_key(key): value for key, value in HOSTILE.items()}
    settings = merge_launch(load(workspace, {}, environ), hostile).settings
    allowed = {
        "level": "compute",
        **{key: HOSTILE[key] for key in configuration.LAUNCH_KEYS - {"level"} if key in HOSTILE},
    }
    assert settings == msgspec.structs.replace(Settings(), **allowed)


def test_launch_arguments_that_are_no_settings_are_left_alone(places):
    workspace, _, environ = places
    assert merge_launch(load(workspace, {}, environ), {"dapAiToken": "x", "program": "a.py"}).settings == Settings()


@pytest.mark.parametrize("key", Settings.__struct_fields__)
def test_every_setting_says_what_it_is_for_and_what_it_takes(key):
    assert configuration.describe(key).endswith(".")
    assert configuration.allowed(key)
    assert launch_key(key).startswith("dapAi")


def test_a_pattern_of_secrets_in_the_environment_may_hold_commas(places):
    workspace, _, environ = places
    resolved = load(workspace, {}, {**environ, "DAP_AI_MASK": "ACME-[0-9]{4,8}\nTK-[a-z]+"})
    assert resolved.settings.mask == ("ACME-[0-9]{4,8}", "TK-[a-z]+")

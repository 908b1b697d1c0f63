"""Resolves the settings of dap_ai from all sources, and records the source of each value.

Later sources override earlier ones: defaults < the workspace's pyproject.toml (harmless keys only: an opened repository
is not trusted) < the user's file < `DAP_AI_*` in the environment < flags < `dapAi*` keys of the launch arguments.

Any error in a workspace's file is a warning, so that its program can still be debugged. An error in the user's own file
raises ConfigError, because a setting the user chose must not be ignored silently.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from dap_ai.protocol.wire.ask_messages import LEVELS, Level
from dap_ai.protocol.wire.lent_replies import EDITOR
from dap_ai.settings import toml_files
from dap_ai.system.texts import cut

ExceptionFilter = Literal["uncaught", "userUnhandled", "raised"]


class Settings(msgspec.Struct, frozen=True):
    """All settings of dap_ai. `dap-ai config` prints each with its description."""

    provider: Annotated[
        str,
        Meta(
            description="Who answers: openai (any compatible endpoint), offline (no key, no network), or editor (the "
            "model that your editor lends, else offline); empty: the model that your editor lends, if any; else openai "
            "if OPENAI_API_KEY or an endpoint is set, else offline."
        ),
    ] = ""
    model: Annotated[
        str, Meta(description="The language model; empty: the only one of the endpoint, or a small one at OpenAI.")
    ] = ""
    base_url: Annotated[
        str, Meta(description="An endpoint that speaks Chat Completions; empty: OPENAI_BASE_URL, else OpenAI's.")
    ] = ""
    max_tool_calls: Annotated[
        int, Meta(ge=0, description="Tool calls that a model may make for one question; 0: no limit.")
    ] = 60
    max_tokens: Annotated[
        int, Meta(ge=0, description="Tokens, in and out, that one question may cost; 0: no limit.")
    ] = 400_000
    max_cost_usd: Annotated[
        float, Meta(ge=0, description="Dollars that one question may cost, where the price is known; 0: no limit.")
    ] = 0.0
    record: Annotated[
        str, Meta(description=("A file to which a model's replies are appended, for replay; empty: none."))
    ] = ""
    replay: Annotated[str, Meta(description="A file of recorded replies that answers instead of a model.")] = ""
    allow: Annotated[
        tuple[str, ...],
        Meta(description="Actions that need no confirmation at the level mutate: `step`, `set_breakpoint shop.py:*`."),
    ] = ()
    deny: Annotated[
        tuple[str, ...],
        Meta(description="Calls and actions that are never made: `environment`, `execute *`, `source *.sql`."),
    ] = ()
    approval_timeout_s: Annotated[
        float,
        Meta(
            gt=0,
            le=3600,
            description=("Seconds after which a request for confirmation that nobody answers is refused."),
        ),
    ] = 60.0
    unsafe: Annotated[
        bool,
        Meta(description=("At the level mutate, ask for no confirmation at all. A warning says so at each question.")),
    ] = False
    mask: Annotated[
        tuple[str, ...],
        Meta(description="Regular expressions of further secrets, besides those recognised automatically."),
    ] = ()
    transcripts: Annotated[
        str, Meta(description="A folder that each conversation with a model is written to; empty: none.")
    ] = ""
    level: Annotated[
        Level,
        Meta(
            description="What an answer may do: observe only reads; compute also evaluates, in copies of the program; "
            "mutate also changes the program, each time with your confirmation."
        ),
    ] = "compute"
    budget_tokens: Annotated[
        int, Meta(ge=200, le=1_000_000, description="Size of the first context of a question, in tokens.")
    ] = 2000
    ask_timeout_s: Annotated[
        float, Meta(gt=0, le=86400, description="Seconds after which an answer ends with what is known by then.")
    ] = 300.0
    thorough: Annotated[
        bool, Meta(description="Without a model: try fixes for ten times as long as the usual second.")
    ] = False
    exceptions: Annotated[
        tuple[ExceptionFilter, ...], Meta(description="At which exceptions `dap-ai ask` stops the program.")
    ] = ("uncaught",)
    snapshots: Annotated[
        bool, Meta(description="Evaluate in a locked copy of the program; off: only the allow-list.")
    ] = True
    snapshot_reads: Annotated[
        tuple[str, ...], Meta(description="Folders that such a copy may read, besides Python's own.")
    ] = ()
    console_prefix: Annotated[
        str, Meta(max_length=8, description="What starts a question in an editor's debug console; empty: none does.")
    ] = "??"
    answer_file: Annotated[
        str,
        Meta(
            description="A file that each answer is also written to, as Markdown; its path is then the answer's last "
            "line: for an editor whose console is one line. Empty: none."
        ),
    ] = ""
    sockets: Annotated[
        str,
        Meta(
            description="The folder of the sockets at which sessions can be joined, open to you alone; empty: "
            "a default one; off: no session can be joined."
        ),
    ] = ""
    backend: Annotated[
        str, Meta(description="The debug adapter behind the proxy: debugpy, or the command line of any other.")
    ] = "debugpy"
    python: Annotated[
        str, Meta(description="The interpreter that runs the program; empty: the one of its virtual environment.")
    ] = ""
    just_my_code: Annotated[bool, Meta(description="Keep out of library code when stopping.")] = True
    markdown: Annotated[bool, Meta(description="Render answers in a terminal; off: print their Markdown as it is.")] = (
        True
    )
    theme: Annotated[Literal["dark", "light", "none"], Meta(description="Colours of code in a rendered answer.")] = (
        "dark"
    )


WORKSPACE_KEYS = frozenset({"exceptions", "just_my_code", "markdown", "theme"})
"""Settings that a workspace's pyproject.toml may change. None of them runs a file, sends data or lowers a guard."""

LAUNCH_KEYS = WORKSPACE_KEYS | {"level", "budget_tokens", "ask_timeout_s", "console_prefix"}
"""Settings that launch arguments may change. They may only lower `level`. A repository may contain launch arguments, so
settings with paths that a snapshot may read are excluded.
"""

_MAX_WARNINGS = 5
"""Maximum warnings about the settings in one file."""
_FIELDS = {field.name: field for field in msgspec.structs.fields(Settings)}


class ConfigError(Exception):
    """Raised for a setting that cannot be used. The text names its source, its key and the allowed values."""


class Resolved(msgspec.Struct, frozen=True):
    """The resolved settings, and where each value comes from."""

    settings: Settings
    sources: Mapping[str, str]
    """Source of each setting's value: `default`, a file's path, `DAP_AI_LEVEL`, `flag`, `launch arguments`."""
    warnings: tuple[str, ...] = ()
    """Messages for the user about settings that were ignored, with the reasons."""


def load(cwd: Path, flags: Mapping[str, Any], environ: Mapping[str, str]) -> Resolved:
    """Resolves the settings from all sources except launch arguments. Raises ConfigError.

    Flags whose value is None are ignored.
    """
    warnings: list[str] = []
    layers = [
        *_workspace_layer(cwd, warnings),
        *_user_layer(environ),
        *_environment_layer(environ, warnings),
        *((key, value, "flag") for key, value in flags.items() if value is not None),
    ]
    defaults = Resolved(Settings(), dict.fromkeys(_FIELDS, "default"), tuple(warnings))
    return _apply(defaults, layers)


def merge_launch(resolved: Resolved, arguments: Mapping[str, Any]) -> Resolved:
    """Applies the allowed `dapAi*` keys of launch or attach arguments to the settings. Raises ConfigError."""
    layers = [
        (key, arguments[name], "launch arguments")
        for key in _FIELDS
        if (name := launch_key(key)) in arguments and key in LAUNCH_KEYS
    ]
    merged = _apply(resolved, layers)
    if LEVELS.index(merged.settings.level) > LEVELS.index(resolved.settings.level):
        return _apply(merged, [("level", resolved.settings.level, resolved.sources["level"])])
    return merged


ANSWERER_KEYS = ("provider", "model", "base_url")
"""Settings that choose the provider and model."""


def answered_by(settings: Settings, by: Settings) -> Settings:
    """Returns `settings` with the provider, model and endpoint of `by`."""
    return msgspec.structs.replace(settings, **{key: getattr(by, key) for key in ANSWERER_KEYS})


def provider_of(settings: Settings, environ: Mapping[str, str], offered: Sequence[str] = ()) -> str:
    """Returns the provider's name: the configured provider, else `editor` if the client offers it, else a default.

    The default is `openai` if a key or an endpoint is configured, else `offline`. If `editor` is configured but not
    offered, the provider is `offline`, never an endpoint.
    """
    if settings.replay:
        return "scripted"
    if settings.provider == EDITOR:
        return EDITOR if EDITOR in offered else "offline"
    if settings.provider:
        return settings.provider
    if EDITOR in offered:
        return EDITOR
    has_endpoint = bool(settings.base_url or environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_KEY"))
    return "openai" if has_endpoint else "offline"


def launch_key(key: str) -> str:
    """Returns the launch argument for a setting: `budget_tokens` -> `dapAiBudgetTokens`."""
    return "dapAi" + "".join(word.title() for word in key.split("_"))


def environment_key(key: str) -> str:
    """Returns the environment variable for a setting: `budget_tokens` -> `DAP_AI_BUDGET_TOKENS`."""
    return f"DAP_AI_{key.upper()}"


def user_file(environ: Mapping[str, str]) -> Path:
    """Returns the path of the user's settings file: `DAP_AI_CONFIG`, else config.toml in the platform's folder."""
    if chosen := environ.get("DAP_AI_CONFIG"):
        return Path(chosen).expanduser()
    import platformdirs  # noqa: PLC0415  faster start when the variable is set

    return Path(platformdirs.user_config_dir("dap-ai", appauthor=False)) / "config.toml"


def describe(key: str) -> str:
    """Returns the one-sentence description of a setting; empty if the setting has none."""
    metas = (part for part in get_args(_FIELDS[key].type) if isinstance(part, Meta))
    return next((meta.description for meta in metas if meta.description), "")


def allowed(key: str) -> str:
    """Describes the allowed values of a setting, for the user."""
    kind, *metas = get_args(_FIELDS[key].type)
    return _allowed(kind) + "".join(_bounds(meta) for meta in metas if isinstance(meta, Meta))


_Layer = tuple[str, Any, str]


class _Tool(msgspec.Struct):
    dap_ai: dict[str, Any] = msgspec.field(name="dap-ai", default_factory=dict[str, Any])


class _PyProject(msgspec.Struct):
    tool: _Tool = msgspec.field(default_factory=_Tool)


def _apply(resolved: Resolved, layers: list[_Layer]) -> Resolved:
    values: dict[str, Any] = {}
    sources = dict(resolved.sources)
    for key, value, source in layers:
        values[key] = _convert(key, value, source)
        sources[key] = source
    return Resolved(msgspec.structs.replace(resolved.settings, **values), sources, resolved.warnings)


def _convert(key: str, value: Any, source: str) -> Any:
    if key not in _FIELDS:
        named = cut(key, toml_files.MAX_REASON_CHARS)
        raise ConfigError(f"{source}: there is no setting '{named}'. The settings are: {', '.join(_FIELDS)}.")
    try:
        return msgspec.convert(value, _FIELDS[key].type, strict=not source.startswith("DAP_AI_"))
    except msgspec.ValidationError as error:
        shown = cut(repr(value), toml_files.MAX_REASON_CHARS)
        raise ConfigError(f"{source}: {key} cannot be {shown}; allowed: {allowed(key)}.") from error


def _workspace_layer(cwd: Path, warnings: list[str]) -> Iterator[_Layer]:
    """Yields the settings that a workspace's untrusted file may change. Adds a warning for every other setting."""
    try:
        file, table = _workspace_table(cwd)
    except (toml_files.BadFile, ConfigError) as error:
        warnings.append(f"{str(error).removesuffix('.')}. It is ignored.")
        return
    except OSError as error:
        warnings.append(f"no pyproject.toml is looked for: {error}")
        return
    told: list[str] = []
    for key, value in table.items():
        if objection := _objection(key, value, str(file)):
            told.append(f"{objection} It is ignored.")
        else:
            yield key, value, str(file)
    warnings += told[:_MAX_WARNINGS]
    if len(told) > _MAX_WARNINGS:
        warnings.append(f"{file}: {len(told) - _MAX_WARNINGS} more settings are ignored")


def _workspace_table(cwd: Path) -> tuple[Path, dict[str, Any]]:
    """Returns the nearest pyproject.toml and its `tool.dap-ai` table, which may be empty.

    Raises BadFile, ConfigError, OSError.
    """
    file = next((up / "pyproject.toml" for up in (cwd, *cwd.parents) if (up / "pyproject.toml").is_file()), None)
    if file is None or b"dap-ai" not in (text := toml_files.read(file)):
        return file or cwd, {}
    try:
        return file, msgspec.convert(toml_files.parse(text, file), _PyProject).tool.dap_ai
    except msgspec.ValidationError as error:
        raise ConfigError(f"{file}: [tool.dap-ai] cannot be used: {error}.") from error


def _objection(key: str, value: Any, file: str) -> str:
    """Returns why a workspace may not set a key to this value; empty if it may."""
    if key in _FIELDS and key not in WORKSPACE_KEYS:
        allowed_keys = ", ".join(sorted(WORKSPACE_KEYS))
        return (
            f"{file}: a workspace may set only {allowed_keys}; '{key}' is for your own file, the environment or a flag."
        )
    try:
        _convert(key, value, file)
    except ConfigError as error:
        return str(error)
    return ""


def _user_layer(environ: Mapping[str, str]) -> Iterator[_Layer]:
    file = user_file(environ)
    chosen = environ.get("DAP_AI_CONFIG")
    if chosen == os.devnull:
        return
    if not os.path.lexists(file):
        if chosen:
            raise ConfigError(f"DAP_AI_CONFIG: there is no file {file}.")
        return
    try:
        table = toml_files.parse(toml_files.read(file), file)
    except toml_files.BadFile as error:
        raise ConfigError(f"{error}.") from error
    for key, value in table.items():
        yield key, value, str(file)


def _environment_layer(environ: Mapping[str, str], warnings: list[str]) -> Iterator[_Layer]:
    keys = {environment_key(key): key for key in _FIELDS}
    for name in sorted(environ):
        if name in keys:
            yield keys[name], _from_environment(keys[name], environ[name]), name
        elif name.startswith("DAP_AI_") and (close := difflib.get_close_matches(name, keys, 1, cutoff=0.85)):
            warnings.append(f"{name} is not a setting; did you mean {close[0]}?")


def _from_environment(key: str, text: str) -> Any:
    if get_origin(get_args(_FIELDS[key].type)[0]) is tuple:
        # A regular expression may contain commas.
        return [part.strip() for part in text.split("\n" if key == "mask" else ",") if part.strip()]
    return text


def _allowed(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(get_args(kind))
    if get_origin(kind) is tuple:
        return f"a list of {_allowed(get_args(kind)[0])}"
    return {bool: "true, false", int: "a whole number", float: "a number", str: "text"}[kind]


def _bounds(meta: Meta) -> str:
    bounds = {"from": meta.ge, "over": meta.gt, "up to": meta.le}
    words = [f"{word} {bound}" for word, bound in bounds.items() if bound is not None]
    if meta.max_length is not None:
        words.append(f"of at most {meta.max_length} characters")
    return "".join(f" {word}" for word in words)

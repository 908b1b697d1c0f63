"""The `output` and `environment` tools: the output and the environment variables of the program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.agent.case.value_texts import MISSING, cut, literal_in
from dap_ai.agent.tools.base import Tool, ToolContext, ToolResult
from dap_ai.agent.tools.tool_reads import printed, read_in, somewhere
from dap_ai.protocol.contracts.tool_arguments import EnvironmentArguments, OutputArguments
from dap_ai.system.texts import fenced

_SECRET = re.compile(
    r"KEY|TOKEN|SECRET|PASS|.PWD|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|SIGNATURE|SALT|DSN|CONNECTION_?STR|(^|_)PAT($|_)",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")
_MODULES = ("os", "sys.modules['os']", "pathlib.os", "logging.os", "shutil.os", "random._os", "subprocess.os")
"""Expressions through which a frame may reach the module `os`."""
_MAX_NAMES = 1000
_MAX_VALUE_CHARS = 2000


class OutputTool(Tool[OutputArguments]):
    """The last `tail` characters of the program's output."""

    description = "The end of what the program wrote to stdout and stderr."
    arguments = OutputArguments
    level = "observe"

    lasting = False

    async def run(self, bench: ToolContext, arguments: OutputArguments) -> ToolResult:
        """Returns the end of the output, and the number of characters before it."""
        text = "".join(text for _, text in bench.debugger.output_tail())
        if not text.strip():
            return ToolResult("The program has written nothing that the debug adapter has passed on.")
        shown = text[-arguments.tail :]
        head = f"... {len(text) - len(shown)} characters before\n" if len(shown) < len(text) else ""
        return ToolResult(fenced(head + shown.rstrip("\n")))


class EnvironmentTool(Tool[EnvironmentArguments]):
    """Names of the program's environment variables. With `names`, also the values, unless a name looks secret."""

    description = "Names of the program's environment variables; values only of the `names` asked for, never secrets."
    arguments = EnvironmentArguments
    level = "observe"

    def action(self, arguments: EnvironmentArguments) -> str:
        """Returns the requested names. Without names, returns the tool's name."""
        return " ".join(arguments.names) or self.name

    def deniable(self, arguments: EnvironmentArguments) -> Sequence[str]:
        """Returns the requested names, together and one by one, so that one denied name denies the call."""
        return [self.action(arguments), *arguments.names]

    def is_offered(self, bench: ToolContext) -> bool:
        """Whether the inspector or a snapshot can read the environment."""
        return bench.debugger.can_inspect or not bench.debugger.why_no_snapshot

    async def run(self, bench: ToolContext, arguments: EnvironmentArguments) -> ToolResult:
        """Returns the names of all variables, or the values of the requested variables."""
        wanted = list(dict.fromkeys(arguments.names))[:50]
        allowed = [name for name in wanted if not _SECRET.search(name)]
        found = await _walked(bench, allowed)
        why = ""
        if found is None:
            found, why = await _copied(bench, allowed)
        if found is None:
            text = f"The environment cannot be read here: no frame has a name for `os`, and no copy can: {why}."
            return ToolResult(f"{text} Ask the user to look at it in the console.", failed=True)
        names, values = found
        if not wanted:
            return ToolResult(f"{len(names)} variables, their values by `names`:\n\n{fenced(' '.join(sorted(names)))}")
        return ToolResult(fenced("\n".join(_row(name, names, values) for name in wanted)))


def _row(name: str, names: Sequence[str], values: dict[str, str]) -> str:
    if name not in names:
        return f"{name} is not set"
    if name not in values:
        return f"{name} is set; its value is not told, because it may be a secret"
    return f"{name}={cut(_USER_INFO.sub('...@', values[name]), _MAX_VALUE_CHARS)}"


Found = tuple[list[str], dict[str, str]]
"""Names of all variables, and the values of the requested variables by name."""


async def _walked(bench: ToolContext, wanted: Sequence[str]) -> Found | None:
    """Reads the dict behind `os.environ` through a frame that can access `os`. None if no frame can."""
    reached = await somewhere(bench, [f"{module}.environ._data" for module in _MODULES], max_items=_MAX_NAMES)
    if reached is None or reached[2].value is None or reached[2].value.keys is None:
        return None
    frame_id, data, fact = reached
    keys = {_plain(key): key for key in (fact.value.keys if fact.value else None) or []}
    asked = [name for name in wanted if name in keys]
    texts = [f"{data}[{keys[name]}]" for name in asked]
    facts = (await read_in(bench, [frame_id], texts, max_text=_MAX_VALUE_CHARS) or [[]])[0] if asked else []
    values = {name: _plain(fact.value.text) for name, fact in zip(asked, facts, strict=False) if fact.value}
    return list(keys), values


async def _copied(bench: ToolContext, wanted: Sequence[str]) -> tuple[Found | None, str]:
    names, why = await printed(bench, r"print('\n'.join(__import__('os').environ))")
    if not names:
        return None, why
    values: dict[str, str] = {}
    for name in [name for name in wanted if name in names.splitlines()]:
        values[name], _ = await printed(bench, f"print(__import__('os').environ[{name!r}])")
    return (names.splitlines(), values), ""


def _plain(text: str) -> str:
    """Returns the text that a repr of bytes stands for. On Windows, the repr is that of a string."""
    value = literal_in(text)
    told = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text if value is MISSING else told


output = OutputTool()
environment = EnvironmentTool()

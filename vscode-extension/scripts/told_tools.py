"""What the tools tell of themselves, as docs/protocol.md, package.json and protocol.ts have it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from typescript import field_docs

from dap_ai.agent.tools.base import Tool
from dap_ai.agent.tools.tool_table import every_tool
from dap_ai.debuggees.runs.answer.run_tools import TOOLS as ON_RUNS

TOOLS = every_tool()

_BEGIN, _END = "<!-- tools: made by vscode-extension/scripts/generate_protocol.py -->\n", "<!-- end of tools -->"
_STOPPED = "the program that the user has stopped in the debugger"
_KEPT = ("type", "enum", "minimum", "maximum", "exclusiveMinimum", "minItems")
_KIND = {"native": "Native programs: ", "python": "Python: ", "run": "Recorded runs: ", "": ""}


def typescript() -> str:
    """The names of the tools, and those of them that VS Code's agent mode has."""
    names = " | ".join(f'"{name}"' for name in dict.fromkeys([*TOOLS, *(tool.name for tool in ON_RUNS)]))
    pairs = "".join(f'  {_id(tool)}: "{tool.name}",\n' for tool in _offered())
    return (
        f"/** What `askTool` can call. */\nexport type ToolName = {names};\n\n"
        "/** The tools of agent mode, by their names in package.json. None can change the program: agent mode has no "
        f"consent cards. */\nexport const AGENT_TOOLS: Record<string, ToolName> = {{\n{pairs}}};\n"
    )


def manifest(text: str) -> str:
    """package.json with the tools of today."""
    package = json.loads(text)
    package["contributes"]["languageModelTools"] = [_contributed(tool) for tool in _offered()]
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


def docs(text: str) -> str:
    """protocol.md with the table of today. Raises ValueError where it has no place for it."""
    before, _, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not end:
        raise ValueError(f"docs/protocol.md needs the lines {_BEGIN.strip()} and {_END}")
    rows = [
        f"| `{tool.name}` | {tool.level} | `{_takes(tool)}` | {_kind(tool)} |" for tool in (*TOOLS.values(), *ON_RUNS)
    ]
    table = "\n".join(["| tool | level | arguments | gives |", "|---|---|---|---|", *rows])
    return f"{before}{_BEGIN}\n{table}\n\n{end}{after}"


def _offered() -> Iterator[Tool[Any]]:
    for tool in TOOLS.values():
        if tool.title:
            assert tool.level != "mutate", f"{tool.name}: an editor's agent has no consent cards"
            yield tool


def _id(tool: Tool[Any]) -> str:
    first, *more = tool.name.split("_")
    return f"dapAi_{first}{''.join(map(str.capitalize, more))}"


def _renamed(text: str) -> str:
    """With the tools' names as agent mode has them."""
    for tool in _offered():
        text = text.replace(f"`{tool.name}`", f"`{_id(tool)}`")
    return text


def _gives(tool: Tool[Any]) -> str:
    return " ".join((inspect.getdoc(type(tool)) or "").split())


def _kind(tool: Tool[Any]) -> str:
    gives = _gives(tool)
    return (_KIND[tool.only] + (gives[0].lower() + gives[1:] if tool.only else gives)).replace("|", "\\|")


def _takes(tool: Tool[Any]) -> str:
    fields = msgspec.inspect.type_info(tool.arguments).fields  # pyright: ignore[reportAttributeAccessIssue]
    return f"{{{', '.join(map(_field, fields))}}}"


def _field(field: msgspec.inspect.Field) -> str:
    kind, name = field.type, field.encode_name
    if isinstance(kind, msgspec.inspect.ListType) and isinstance(kind.item_type, msgspec.inspect.StructType):
        return f"{name}: [{{{', '.join(map(_field, kind.item_type.fields))}}}]"
    if field.required:
        return name
    if field.default in ("", None, msgspec.NODEFAULT):
        return f"{name}?"
    most = getattr(kind, "le", None)
    return f"{name} = {_number(field.default)}" + (f" (≤ {_number(most)})" if most else "")


def _number(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _contributed(tool: Tool[Any]) -> dict[str, Any]:
    gives = _gives(tool)
    about = f"About {_STOPPED}: {gives[0].lower()}{gives[1:]}"
    return {
        "name": _id(tool),
        "toolReferenceName": f"debug{''.join(map(str.capitalize, tool.name.split('_')))}",
        "displayName": tool.title,
        "canBeReferencedInPrompt": True,
        "when": "dapAi.active",
        "tags": ["dap-ai", "debugging"],
        "icon": "$(debug-alt)",
        "userDescription": f"{tool.title} of the program that has stopped in the debugger.",
        "modelDescription": _renamed(" ".join(filter(None, [about, tool.hint]))),
        "inputSchema": _schema(tool.arguments),
    }


def _schema(struct: type[msgspec.Struct]) -> dict[str, Any]:
    whole = msgspec.json.schema(struct)
    parts: Mapping[str, Any] = whole["$defs"]
    info = msgspec.inspect.type_info(struct)
    assert isinstance(info, msgspec.inspect.StructType)
    documented = field_docs(struct)
    properties = {}
    for field in info.fields:
        node = parts[struct.__name__]["properties"][field.encode_name]
        properties[field.encode_name] = _node(node, field.type, documented.get(field.name, ""))
    required = parts[struct.__name__]["required"]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _node(node: dict[str, Any], kind: Any, documented: str) -> dict[str, Any]:
    """One field: its limits, and what is said of it."""
    node = next((o for o in node.get("anyOf", ()) if o.get("type") != "null"), node) if "anyOf" in node else node
    short: dict[str, Any] = {key: node[key] for key in _KEPT if key in node}
    if isinstance(kind, msgspec.inspect.ListType):
        item = kind.item_type
        is_struct = isinstance(item, msgspec.inspect.StructType)
        short["items"] = _schema(item.cls) if is_struct else _node(node["items"], item, "")
    said = _renamed(" ".join(filter(None, [node.get("description", ""), " ".join(documented.split())])))
    return short | ({"description": said} if said else {})

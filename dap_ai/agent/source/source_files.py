"""Decides whether a file counts as source, so that dap_ai shows no other file that debug information names.

A `#line 1 "/etc/passwd"` or a `compile(text, "/root/.bashrc", "exec")` must not make dap_ai quote that file. Source is
text that has a language's suffix, begins with `#!`, or parses as a Python program.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path, PurePath

from dap_ai.agent.masking.secret_files import secret_rule
from dap_ai.system.texts import code

PYTHON_SUFFIXES = (".py", ".pyi", ".pyx")
LANGUAGES = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tcc"), "cpp"),
    ".rs": "rust",
    ".go": "go",
    ".js": "js",
    ".ts": "ts",
}
"""Maps file suffixes to languages. Code with any other suffix, or without a file, counts as Python."""
_OTHERS = frozenset(
    f".{name}"
    for names in (
        "pyw pxd pxi cu cuh m mm s asm def inc f f90 f95 for zig d nim swift java kt cs vb fs php rb pl pm lua dart",
        "jsx tsx mjs cjs vue svelte sh r jl ml hs ada adb ads pas v sv",
        "y yy yxx ypp l ll lxx lpp lex re rl g g4 gperf lemon peg pest j2 jinja jinja2 mako tmpl tpl",
    )
    for name in names.split()
)
"""Suffixes of languages that dap_ai does not parse, and of files from which source is generated."""
_TEMPLATE = re.compile(r"[/\\]templates?[/\\].*\.(?:html?|txt|xml)$", re.IGNORECASE)
_CPP_LIBRARY = re.compile(r"[/\\]c\+\+[/\\]")
"""Matches paths of the C++ library, whose headers have no suffix: `/usr/include/c++/12/vector`."""
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev", "/etc", "/boot", "/run")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_SNIFFED_BYTES = 4096
_MAX_PARSED_BYTES = 500_000
_NO_SOURCE = "it is no source file of a program"


def language_of(path: str) -> str:
    """Returns a file's language by its suffix: `python`, `c`, `cpp`, `rust`, `go`, `js` or `ts`."""
    suffix = PurePath(path).suffix.lower()
    return LANGUAGES.get(suffix, "cpp" if not suffix and _CPP_LIBRARY.search(path) else "python")


def why_no_source(path: str) -> str:
    """Returns why a file does not count as source; empty if it does. Raises OSError, ValueError.

    For a link, decides about its target.
    """
    real = os.path.realpath(path)
    suffixed = _has_suffix(real)
    if not suffixed and any(_is_below(real, folder) for folder in SYSTEM_FOLDERS):
        return _NO_SOURCE
    with open(real, "rb") as file:  # noqa: PTH123  avoids creating a Path
        head = file.read(_SNIFFED_BYTES)
        if _CONTROL.search(head):
            return "it is no text"
        if suffixed or head.startswith(b"#!"):
            return ""
        if rule := secret_rule(Path(path), is_source=False) or secret_rule(Path(real), is_source=False):
            return f"what is named like {code(rule)} may hold secrets"
        if PurePath(real).suffix or PurePath(real).name.startswith("."):
            return _NO_SOURCE
        return "" if _is_program(head + file.read(_MAX_PARSED_BYTES)) else _NO_SOURCE


def _has_suffix(real: str) -> bool:
    """Whether a file name has the suffix of program source."""
    suffix = PurePath(real).suffix.lower()
    known = suffix in PYTHON_SUFFIXES or suffix in LANGUAGES or suffix in _OTHERS
    return known or language_of(real) == "cpp" or bool(_TEMPLATE.search(real))


def _is_below(real: str, folder: str) -> bool:
    return real == folder or real.startswith(f"{folder}/")


def _is_program(data: bytes) -> bool:
    """Whether data parses as a Python program that does more than assign settings such as `KEY = "x"`."""
    try:
        body = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(each, ast.Assign | ast.AnnAssign) and not _is_constant(each) for each in body)


def _is_constant(statement: ast.stmt) -> bool:
    """Whether a statement is an expression without a call, such as a name, list or string.

    The header `[section]` of an INI file parses as a list.
    """
    return isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Call | ast.Await)

"""Which files are source, whatever calls one so: debug information, a code object, an adapter, a report in the output.

A `#line 1 "/etc/passwd"` or a `compile(text, "/root/.bashrc", "exec")` must not have that file quoted. Source has the
suffix of a language, begins with `#!`, or reads as a program of Python; text it is in any case.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path, PurePath

from dap_ai.agent.masking.secret_files import secret_rule

PYTHON_SUFFIXES = (".py", ".pyi", ".pyx")
LANGUAGES = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tcc"), "cpp"),
    ".rs": "rust",
    ".go": "go",
    ".js": "js",
    ".ts": "ts",
}
"""By suffix; code without one of these is Python's: it may have no file at all."""
_OTHERS = frozenset(
    f".{name}"
    for names in (
        "pyw pxd pxi cu cuh m mm s asm def inc f f90 f95 for zig d nim swift java kt cs vb fs php rb pl pm lua dart",
        "jsx tsx mjs cjs vue svelte sh r jl ml hs ada adb ads pas v sv",
        "y yy yxx ypp l ll lxx lpp lex re rl g g4 gperf lemon peg pest j2 jinja jinja2 mako tmpl tpl",
    )
    for name in names.split()
)
"""Languages that nothing here parses, and what programs are generated from."""
_TEMPLATE = re.compile(r"[/\\]templates?[/\\].*\.(?:html?|txt|xml)$", re.IGNORECASE)
_CPP_LIBRARY = re.compile(r"[/\\]c\+\+[/\\]")
"""Its headers have no suffix: `/usr/include/c++/12/vector`."""
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev", "/etc", "/boot", "/run")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_SNIFFED_BYTES = 4096
_MAX_PARSED_BYTES = 500_000
_NO_SOURCE = "it is no source file of a program"


def language_of(path: str) -> str:
    """`python`, `c`, `cpp`, `rust`, ...: what a code block of the file says."""
    suffix = PurePath(path).suffix.lower()
    return LANGUAGES.get(suffix, "cpp" if not suffix and _CPP_LIBRARY.search(path) else "python")


def why_no_source(path: str) -> str:
    """Why a file is not taken for source; empty: it is one. Links are followed first. Raises OSError, ValueError."""
    real = os.path.realpath(path)
    suffixed = _has_suffix(real)
    if not suffixed and any(_is_below(real, folder) for folder in SYSTEM_FOLDERS):
        return _NO_SOURCE
    with open(real, "rb") as file:  # noqa: PTH123  a Path would be made for nothing
        head = file.read(_SNIFFED_BYTES)
        if _CONTROL.search(head):
            return "it is no text"
        if suffixed or head.startswith(b"#!"):
            return ""
        if rule := secret_rule(Path(path), is_source=False) or secret_rule(Path(real), is_source=False):
            return f"what is named like `{rule}` may hold secrets"
        if PurePath(real).suffix or PurePath(real).name.startswith("."):
            return _NO_SOURCE
        return "" if _is_program(head + file.read(_MAX_PARSED_BYTES)) else _NO_SOURCE


def _has_suffix(real: str) -> bool:
    """Whether a file's name says that it is a program's source."""
    suffix = PurePath(real).suffix.lower()
    known = suffix in PYTHON_SUFFIXES or suffix in LANGUAGES or suffix in _OTHERS
    return known or language_of(real) == "cpp" or bool(_TEMPLATE.search(real))


def _is_below(real: str, folder: str) -> bool:
    return real == folder or real.startswith(f"{folder}/")


def _is_program(data: bytes) -> bool:
    """Whether it reads as a program of Python that does something: settings alone, `KEY = "x"`, do not."""
    try:
        body = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(not isinstance(each, ast.Assign | ast.AnnAssign) and not _is_constant(each) for each in body)


def _is_constant(statement: ast.stmt) -> bool:
    """A bare name, list or text: the header `[section]` of an INI file parses as one."""
    return isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Call | ast.Await)

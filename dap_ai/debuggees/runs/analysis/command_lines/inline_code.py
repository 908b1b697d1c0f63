"""Files read and written by inline code (`python -c`, a here-document for an interpreter, a script the agent wrote).

Regular expressions find the files, mainly for Python. Only literal file names are found. If code computes a file name,
the write is known but not its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite

MAX_CHARS = 65_536
_QUOTED = r"""[rbuf]{0,2}(?P<q>["'])(?P<path>[^"'\n]{1,300})(?P=q)"""
_NAME = r"(?P<name>[A-Za-z_][\w.]{0,80})"
_WRITE_MODE = r"""["'][rbt]?[wax][bt+]{0,2}["']|["']r\+b?["']|["']rb\+["']"""
_OPEN = re.compile(
    rf"""(?<![\w.])(?:io\.|codecs\.|gzip\.|bz2\.)?open\(\s*(?:{_QUOTED}|{_NAME})"""
    rf"""[^()\n]{{0,120}}?,\s*(?:mode\s*=\s*)?(?P<mode>{_WRITE_MODE})"""
)
_OPEN_ANY = re.compile(
    rf"""(?<![\w.])open\(\s*[^()\n]{{0,120}}(?:\([^()\n]{{0,60}}\)[^()\n]{{0,60}})?"""
    rf""",\s*(?:mode\s*=\s*)?(?P<mode>{_WRITE_MODE})"""
)
_READ = re.compile(
    rf"""(?<![\w.])open\(\s*(?:{_QUOTED}|{_NAME})\s*(?:\)|,\s*(?:mode\s*=\s*)?["']r[bt]?["']|,\s*encoding)"""
)
_PATH_WRITE = re.compile(
    rf"""(?:Path\(\s*(?:{_QUOTED}|{_NAME})\s*\)|\b{_NAME.replace("name", "name2")})\.(?:write_text|write_bytes)\("""
)
_PATH_READ = re.compile(
    rf"""(?:Path\(\s*(?:{_QUOTED}|{_NAME})\s*\)|\b{_NAME.replace("name", "name2")})\.(?:read_text|read_bytes)\("""
)
_SAVES = re.compile(
    rf"""(?:\.(?:to_csv|to_json|to_parquet|to_excel|to_pickle|savefig|tofile)|\b\w+\.save(?:z|txt)?)\(\s*{_QUOTED}"""
)
_DELETES = re.compile(rf"""\b(?:os\.(?:remove|unlink|rmdir)|shutil\.rmtree)\(\s*(?:{_QUOTED}|{_NAME})""")
_MOVES = re.compile(
    r"\b(?:os\.(?:rename|replace|makedirs|mkdir|symlink|chmod)|shutil\.(?:copy\w*|move))\(|\.(?:unlink|mkdir|rename)\("
)
_JS_WRITES = re.compile(rf"""\b(?:writeFileSync|writeFile|appendFileSync|appendFile)\(\s*(?:{_QUOTED}|{_NAME})""")
_RUBY_WRITES = re.compile(rf"""\bFile\.(?:write|open)\(\s*{_QUOTED}(?:\s*,\s*["'][wa])?""")
_SQL = re.compile(
    r"\.execute\w*\(\s*f?[\"']{1,3}\s*(?:insert|update|delete|create|drop|alter|replace)\b", re.IGNORECASE
)
_ASSIGNED = re.compile(
    rf"""^[ \t]*{_NAME}\s*=\s*(?:Path\(\s*|pathlib\.Path\(\s*)?{_QUOTED}\s*\)?[ \t]*(?:#.*)?$""", re.MULTILINE
)
_INPLACE = re.compile(r"fileinput\.(?:input|FileInput)\([^()\n]{0,200}inplace\s*=\s*(?:True|1)")
_PROBE_LINE = re.compile(
    r"(?:import [\w., ]+|from [\w.]+ import [\w., ()]+"
    r"|print\([^()]*(?:__version__|__file__|__path__|version_info|sys\.version|sys\.executable|sys\.path)[^()]*\)"
    r"|print\([\w.]*(?:version|getsitepackages|get_paths)\(\)\)"
    r"|print\(\s*[\"'][^\"']*[\"']\s*\)|)",
)
_MAX_PROBE = 1_000
"""Maximum characters of code that only queries the environment."""
_SKILL = re.compile(r"(?<![\w.])(?P<name>[a-z_]{4,40})\(")


class CodeEffects(msgspec.Struct, frozen=True):
    """Effects found in code. `changes` is true if the code changes files whose names are unknown."""

    reads: Sequence[str] = ()
    writes: Sequence[FileWrite] = ()
    changes: bool = False
    probe: bool = False
    """Whether the code only queries what is installed."""


def read_code(code: str) -> CodeEffects:
    """Return the files that `code` reads and writes for certain."""
    code = code[:MAX_CHARS]
    names = {found["name"]: found["path"] for found in _ASSIGNED.finditer(code)}
    writes = list(dict.fromkeys(_writes(code, names)))
    reads = [path for pattern in (_READ, _PATH_READ) for path in _paths(pattern, code, names)]
    unnamed = bool(
        _OPEN_ANY.search(code)
        or _PATH_WRITE.search(code)
        or _MOVES.search(code)
        or _SQL.search(code)
        or _INPLACE.search(code)
    )
    return CodeEffects(
        tuple(dict.fromkeys(reads)), tuple(writes), unnamed, not writes and not unnamed and _is_probe(code)
    )


def _writes(code: str, names: dict[str, str]) -> Iterator[FileWrite]:
    for found in _OPEN.finditer(code):
        if path := found["path"] or names.get(found["name"] or "", ""):
            yield FileWrite(path, "append" if "a" in found["mode"] else "create")
    for pattern in (_PATH_WRITE, _SAVES, _JS_WRITES, _RUBY_WRITES):
        for path in _paths(pattern, code, names):
            yield FileWrite(path, "create")
    for path in _paths(_DELETES, code, names):
        yield FileWrite(path, "delete")


def _paths(pattern: re.Pattern[str], code: str, names: dict[str, str]) -> Iterator[str]:
    """Yields the literal paths that `pattern` matches, directly or through a variable with a literal value."""
    for found in pattern.finditer(code):
        groups = found.groupdict()
        known = groups.get("path") or names.get(groups.get("name") or groups.get("name2") or "", "")
        if known:
            yield known


def _is_probe(code: str) -> bool:
    """Return whether the code only queries the environment, e.g. `import x; print(x.__version__)`."""
    if len(code) > _MAX_PROBE:
        return False
    statements = [part.strip() for line in code.strip().split("\n") for part in line.split(";")]
    asks = any(word in code for word in ("version", "__file__", "__path__", "sys.executable", "sys.path", "site"))
    return len(statements) <= 8 and asks and all(_PROBE_LINE.fullmatch(part) for part in statements)


def calls(code: str) -> Iterator[tuple[str, int]]:
    """Yields the name and offset of each function call in `code`, in order. Calls with a dot are left out."""
    return ((found["name"], found.start()) for found in _SKILL.finditer(code[:MAX_CHARS]))

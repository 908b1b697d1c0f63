"""One simple command of a shell to what it does, by the tables. Paths stay as written: commands.py places them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from dap_ai.debuggees.runs.analysis import paths
from dap_ai.debuggees.runs.analysis.arguments import SHORT, effect_by, lines_of_sed, picked, split
from dap_ai.debuggees.runs.analysis.deeds import Deed
from dap_ai.debuggees.runs.analysis.facts import How, Write
from dap_ai.debuggees.runs.analysis.git import git_deed
from dap_ai.debuggees.runs.analysis.patches import writes_of_patch
from dap_ai.debuggees.runs.analysis.scripts import read_code
from dap_ai.debuggees.runs.analysis.tables import Does, Program, expressions, programs

_ASSIGNMENT = re.compile(r"\w+=")
_VERSIONS = {"--version", "-version", "-V", "--help", "-h", "-v"}
_SQL_WRITES = re.compile(
    r"\b(insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+(temp\w*\s+)?(table|index|view|database|role|user)|drop\s+\w+"
    r"|alter\s+table|replace\s+into|vacuum|truncate\s+table|wal_checkpoint)\b|^\s*\.(restore|import|recover|read|save)\b",
    re.IGNORECASE,
)
_MAX_NESTED = 4
_PLACES = re.compile(r"/s?bin/|/\.bin/|^/usr/|^/opt/|(^|/)(gradlew|mvnw)(\.\w+)?$")
"""Where a path's last part is the name of a known program; elsewhere `./test` is the agent's own."""


def deed_of(words: Sequence[str], stdin: str | None, nested: int = 0) -> Deed:
    """What `words` do; `stdin` is the here-document's text where there is one."""
    words = list(_unwrapped(words))
    if not words or nested > _MAX_NESTED:
        return Deed()
    table, name, arguments = programs(), paths.name(words[0]) or words[0], words[1:]
    if "/" in words[0] and not _PLACES.search(words[0]):
        return _unknown(words, name)
    if len(arguments) == 1 and arguments[0] in _VERSIONS and name not in {"rm", "ls", "sort", "cd", "echo", "printf"}:
        return Deed("explore", [name])
    if name in {"cd", "pushd"}:
        return Deed("neutral", [name], cd=next((a for a in arguments if not a.startswith("-") or a == "-"), "~"))
    if name in {"echo", "printf"} and any(marker in " ".join(arguments) for marker in table.markers):
        return Deed("submit", [name])
    if name in {"echo", "printf"} and any(word.startswith("$") for word in arguments):
        return Deed("explore", [name])  # it asks for a variable or the last exit code
    if name in table.shells:
        return _shell(name, arguments, stdin)
    if name in table.interpreters or re.fullmatch(r"(python|pypy)\d(\.\d+)?", name):
        return _interpreter(name, arguments, stdin, nested)
    if name in {"git", "hg"}:
        return git_deed(arguments, stdin)
    if (known := table.programs.get(name)) is not None:
        return _by_arguments(name, known, arguments, stdin, nested)
    if name in table.plain:
        does = table.plain[name]
        runner = name if does in {"verify", "build"} else ""
        files = [a for a in arguments if not a.startswith("-")] if does == "explore" else []
        return Deed(
            does, [name], files[1:] if "grep" in name or name == "rg" else files, runner=runner, log=does != "explore"
        )
    return _unknown(words, name)


def _unknown(words: Sequence[str], name: str) -> Deed:
    """A program that no table knows: run, and a test where its name says so."""
    is_path = "/" in words[0]
    tests = any(pattern.search(" ".join(words[:3])) for pattern in expressions("checks", "scripts"))
    return Deed(
        "verify" if tests else "run",
        [name],
        executes=[words[0]] if is_path else [],
        runner="script" if tests else "",
        log=tests,
    )


def _unwrapped(words: Sequence[str]) -> Iterator[str]:
    """`words` without programs that only run others, their options and assignments."""
    table, rest = programs(), list(words)
    for _ in range(8):
        while rest and _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        if not rest:
            return iter(())
        name, two = paths.name(rest[0]), " ".join(rest[:2])
        if two in table.prefixes:
            inner = _after_options(rest[2:], table.prefixes[two])
        elif name in table.wrappers:
            inner = _after_options(rest[1:], table.wrappers[name])
            if not inner and name in {"env", "time"}:
                return iter(["printenv"])
        else:
            return iter(rest)
        rest = inner
    return iter(rest)


def _after_options(words: Sequence[str], values: Sequence[str]) -> list[str]:
    """The words after a wrapper's own options (`values` take the next word; "1" is an operand of its own)."""
    index, own = 0, 1 if "1" in values else 0
    while index < len(words):
        word = words[index]
        if word.startswith("-") and len(word) > 1:
            index += 2 if word in values else 1
        elif own and not _ASSIGNMENT.match(word):
            index, own = index + 1, own - 1
        else:
            break
    return list(words[index:])


def _shell(name: str, arguments: Sequence[str], stdin: str | None) -> Deed:
    """`bash -c TEXT`, `bash FILE`, `bash <<EOF`."""
    for index, word in enumerate(arguments):
        if re.fullmatch(r"-[a-z]*c", word) and index + 1 < len(arguments):
            return Deed("neutral", [name], script=arguments[index + 1])
        if not word.startswith(("-", "+")):
            does = _unknown([f"./{word}" if "/" not in word else word, *arguments[index + 1 :]], paths.name(word))
            does.executes = [word]
            return does
    return Deed("neutral", [name], script=stdin) if stdin is not None else Deed("run", [name])


def _interpreter(name: str, arguments: Sequence[str], stdin: str | None, nested: int) -> Deed:
    """`python FILE`, `python -m MODULE`, `python -c CODE`, `python <<EOF`, and other languages' like."""
    inline = programs().interpreters.get(name, ("-c",))
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word == "-m" and index + 1 < len(arguments):
            return _module(arguments[index + 1], arguments[index + 2 :], nested)
        if name in {"perl", "ruby"} and _in_place(word):
            return _edited_in_place(name, arguments)
        if word in inline and index + 1 < len(arguments):
            return _code(name, arguments[index + 1], arguments[index + 2 :])
        if word.startswith("-") and word != "-":
            index += 2 if word in {"-W", "-X", "-cp", "-classpath", "-jar", "-r", "--require", "-I"} else 1
            continue
        return _code(name, stdin, ()) if word == "-" and stdin is not None else _script(name, arguments[index:])
    return _code(name, stdin, ()) if stdin is not None else Deed("run", [name])


def _in_place(word: str) -> bool:
    short = SHORT.match(word)
    return short is not None and not word.startswith("--") and "i" in short[0][1:]


def _edited_in_place(name: str, arguments: Sequence[str]) -> Deed:
    operands = [a for a in arguments if not a.startswith("-")]
    files = operands[1:] if any(a.startswith("-") and a.endswith("e") for a in arguments) else operands
    return Deed("change", [name], list(files), [Write(path, "edit") for path in files])


def _module(module: str, arguments: Sequence[str], nested: int) -> Deed:
    """`python -m MODULE`."""
    known = programs().modules.get(module)
    if known is None:
        return Deed("run", [module], executes=[module])
    does, colon, runner = known.partition(":")
    if not colon:
        return deed_of([known, *arguments], None, nested + 1)
    return Deed(
        msgspec.convert(does, Does),
        [module],
        runner=runner if does in {"verify", "build"} else "",
        log=does == "verify",
    )  # type: ignore[arg-type]


def _code(name: str, code: str | None, _arguments: Sequence[str]) -> Deed:
    """Inline code, by what it plainly writes and reads."""
    seen = read_code(code or "")
    does: Does = "change" if seen.writes or seen.changes else "explore" if seen.probe else "run"
    return Deed(does, [name], list(seen.reads), list(seen.writes), code=code or "")


def _script(name: str, words: Sequence[str]) -> Deed:
    """An interpreter with a script."""
    script, arguments = words[0], words[1:]
    first = arguments[0] if arguments else ""
    if paths.name(script) == "setup.py" and first in {"install", "develop"}:
        return Deed("install", [name], executes=[script], log=True)
    if paths.name(script) == "setup.py" and first.startswith(("build", "sdist", "bdist")):
        return Deed("build", [name], executes=[script], runner="build", log=True)
    deed = _unknown([f"./{script}" if "/" not in script else script, *arguments], name)
    deed.executes = [script]
    return deed


def _by_arguments(name: str, program: Program, arguments: Sequence[str], stdin: str | None, nested: int) -> Deed:
    """A program of the tables."""
    operands, given = split(program, arguments)
    does = effect_by(program, operands, arguments, given)
    deed = Deed(does, [name])
    if (
        name in {"npm", "yarn", "pnpm", "bun"}
        and operands
        and operands[0] not in program.subs
        and programs().knows(operands[0])
    ):
        return deed_of([*arguments[arguments.index(operands[0]) :]], stdin, nested + 1)
    if program.sql and _SQL_WRITES.search(" ".join([*operands[1:], *arguments, stdin or ""])[:20_000]):
        deed.does, deed.writes = "change", [Write(operands[0], "edit")] if operands else []
    for option in program.executes:
        if option in arguments:
            inner = [w for w in arguments[list(arguments).index(option) + 1 :] if w not in {";", "+", "{}"}]
            return deed_of(inner, None, nested + 1)
    for target in [value for option, value in given if option in program.out and value]:
        if not (program.stdout_out and target == "-"):
            deed.does = "change"
            deed.writes.append(Write(target, "create"))
        else:
            deed.does = "explore"
    if program.assigned:
        targets = [a.removeprefix(program.assigned) for a in arguments if a.startswith(program.assigned)]
        deed.does = "change" if targets else deed.does
        deed.writes += [Write(target, "create") for target in targets]
    if program.patch_text:
        deed.writes = list(writes_of_patch(stdin or (operands[0] if operands else "")))
    _operands(deed, (name, program), operands, given, stdin)
    deed.runner = program.runner or name if deed.does in {"verify", "build"} else ""
    deed.log = deed.does in {"verify", "build", "install"}
    return deed


def _operands(
    deed: Deed, known: tuple[str, Program], operands: list[str], given: list[tuple[str, str]], stdin: str | None
) -> None:
    """Adds the files that are read and written as operands."""
    name, program = known
    offset = 0 if program.script_options and any(option in program.script_options for option, _ in given) else 1
    deed.reads += picked(program.reads, operands, offset)
    if program.writes and (not program.writes_when or deed.does == program.writes_when) and deed.does == "change":
        appended = any(option in program.append for option, _ in given)
        how: How = "append" if appended else program.how
        lines = lines_of_sed(operands, given) if name == "sed" else None
        deed.writes += [Write(path, how, lines) for path in picked(program.writes, operands, offset)]
    if program.how == "patch" and stdin:
        deed.writes = list(writes_of_patch(stdin)) or deed.writes

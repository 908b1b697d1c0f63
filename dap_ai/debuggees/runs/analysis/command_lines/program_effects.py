"""Effects of one simple shell command, according to the tables.

Paths stay as the command writes them; shell_effects.py resolves them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite, How
from dap_ai.debuggees.runs.analysis.command_lines import paths
from dap_ai.debuggees.runs.analysis.command_lines.command_effect import Deed
from dap_ai.debuggees.runs.analysis.command_lines.git_effects import git_deed
from dap_ai.debuggees.runs.analysis.command_lines.inline_code import read_code
from dap_ai.debuggees.runs.analysis.command_lines.patches import writes_of_patch
from dap_ai.debuggees.runs.analysis.command_lines.program_arguments import SHORT, effect_by, lines_of_sed, picked, split
from dap_ai.debuggees.runs.analysis.rule_tables import Does, ProgramRule, expressions, programs

_ASSIGNMENT = re.compile(r"\w+=")
_VERSIONS = {"--version", "-version", "-V", "--help", "-h", "-v"}
_SQL_WRITES = re.compile(
    r"\b(insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+(temp\w*\s+)?(table|index|view|database|role|user)|drop\s+\w+"
    r"|alter\s+table|replace\s+into|vacuum|truncate\s+table|wal_checkpoint)\b|^\s*\.(restore|import|recover|read|save)\b",
    re.IGNORECASE,
)
_MAX_NESTED = 4
_PLACES = re.compile(r"/s?bin/|/\.bin/|^/usr/|^/opt/|(^|/)(gradlew|mvnw)(\.\w+)?$")
"""Matches paths whose last part names a known program. On any other path, `./test` is the agent's own script."""


def deed_of(words: Sequence[str], stdin: str | None, nested: int = 0) -> Deed:
    """Return the effects of the command `words`.

    `stdin` is the text of the command's here-document, or None.
    """
    words = _unwrapped(words)
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
        return Deed("explore", [name])  # it prints a variable or the last exit code
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
        files = [a for a in arguments if not a.startswith("-")] if does == "explore" else []
        reads = files[1:] if "grep" in name or name == "rg" else files
        return Deed(does, [name], reads, runner=name if does in {"verify", "build"} else "")
    return _unknown(words, name)


def _unknown(words: Sequence[str], name: str) -> Deed:
    """Return the effect of a program that no table lists: `verify` if its name looks like a test script, else `run`."""
    executes = [words[0]] if "/" in words[0] else []
    if any(pattern.search(" ".join(words[:3])) for pattern in expressions("checks", "scripts")):
        return Deed("verify", [name], executes=executes, runner="script")
    return Deed("run", [name], executes=executes)


def _unwrapped(words: Sequence[str]) -> list[str]:
    """Return `words` without wrapper programs such as `env` or `timeout` and without their options and assignments."""
    table, rest = programs(), list(words)
    for _ in range(8):
        rest = list(dropwhile(_ASSIGNMENT.match, rest))
        name, two = paths.name(rest[0]) if rest else "", " ".join(rest[:2])
        if two in table.prefixes:
            rest = _after_options(rest[2:], table.prefixes[two])
        elif name in table.wrappers:
            rest = _after_options(rest[1:], table.wrappers[name])
            if not rest and name in {"env", "time"}:
                return ["printenv"]
        else:
            break
    return rest


def _after_options(words: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the words after a wrapper program's options.

    Options in `values` take the next word; "1" in `values` stands for one operand.
    """
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
    """Return the effect of `bash -c TEXT`, `bash FILE` or `bash <<EOF`."""
    for index, word in enumerate(arguments):
        if re.fullmatch(r"-[a-z]*c", word) and index + 1 < len(arguments):
            return Deed("neutral", [name], script=arguments[index + 1])
        if not word.startswith(("-", "+")):
            return _file(paths.name(word), arguments[index:])
    return Deed("neutral", [name], script=stdin) if stdin is not None else Deed("run", [name])


def _interpreter(name: str, arguments: Sequence[str], stdin: str | None, nested: int) -> Deed:
    """Return the effect of an interpreter, e.g. `python FILE`, `python -m MODULE`, `python -c CODE`, `python <<EOF`."""
    inline = programs().interpreters.get(name, ("-c",))
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word == "-m" and index + 1 < len(arguments):
            return _module(arguments[index + 1], arguments[index + 2 :], nested)
        if name in {"perl", "ruby"} and _in_place(word):
            return _edited_in_place(name, arguments)
        if word in inline and index + 1 < len(arguments):
            return _code(name, arguments[index + 1])
        if word.startswith("-") and word != "-":
            index += 2 if word in {"-W", "-X", "-cp", "-classpath", "-jar", "-r", "--require", "-I"} else 1
            continue
        return _code(name, stdin) if word == "-" and stdin is not None else _script(name, arguments[index:])
    return _code(name, stdin) if stdin is not None else Deed("run", [name])


def _in_place(word: str) -> bool:
    short = SHORT.match(word)
    return short is not None and not word.startswith("--") and "i" in short[0][1:]


def _edited_in_place(name: str, arguments: Sequence[str]) -> Deed:
    operands = [a for a in arguments if not a.startswith("-")]
    files = operands[1:] if any(a.startswith("-") and a.endswith("e") for a in arguments) else operands
    return Deed("change", [name], list(files), [FileWrite(path, "edit") for path in files])


def _module(module: str, arguments: Sequence[str], nested: int) -> Deed:
    """Return the effect of `python -m MODULE`."""
    known = programs().modules.get(module)
    if known is None:
        return Deed("run", [module], executes=[module])
    does, colon, runner = known.partition(":")
    if not colon:
        return deed_of([known, *arguments], None, nested + 1)
    return Deed(msgspec.convert(does, Does), [module], runner=runner if does in {"verify", "build"} else "")


def _code(name: str, code: str) -> Deed:
    """Return the effect of inline code, determined by the files that the code certainly reads and writes."""
    seen = read_code(code)
    does: Does = "change" if seen.writes or seen.changes else "explore" if seen.probe else "run"
    return Deed(does, [name], list(seen.reads), list(seen.writes), code=code)


def _script(name: str, words: Sequence[str]) -> Deed:
    """Return the effect of an interpreter that runs a script."""
    script, first = words[0], words[1] if len(words) > 1 else ""
    if paths.name(script) == "setup.py" and first in {"install", "develop"}:
        return Deed("install", [name], executes=[script])
    if paths.name(script) == "setup.py" and first.startswith(("build", "sdist", "bdist")):
        return Deed("build", [name], executes=[script], runner="build")
    return _file(name, words)


def _file(name: str, words: Sequence[str]) -> Deed:
    """Return the effect of a file run by the interpreter or shell `name`."""
    deed = _unknown([words[0] if "/" in words[0] else f"./{words[0]}", *words[1:]], name)
    deed.executes = [words[0]]
    return deed


def _by_arguments(name: str, program: ProgramRule, arguments: list[str], stdin: str | None, nested: int) -> Deed:
    """Return the effect of a program listed in programs.toml, determined by its arguments."""
    operands, given = split(program, arguments)
    does = effect_by(program, operands, arguments, given)
    deed = Deed(does, [name])
    first = operands[0] if operands else ""
    if name in {"npm", "yarn", "pnpm", "bun"} and first not in program.subs and programs().knows(first):
        return deed_of(arguments[arguments.index(first) :], stdin, nested + 1)
    if program.sql and _SQL_WRITES.search(" ".join([*operands[1:], *arguments, stdin or ""])[:20_000]):
        deed.does, deed.writes = "change", [FileWrite(first, "edit")] if operands else []
    for option in program.executes:
        if option in arguments:
            inner = [w for w in arguments[arguments.index(option) + 1 :] if w not in {";", "+", "{}"}]
            return deed_of(inner, None, nested + 1)
    for target in [value for option, value in given if option in program.out and value]:
        is_printed = program.stdout_out and target == "-"
        deed.does = "explore" if is_printed else "change"
        deed.writes += [] if is_printed else [FileWrite(target, "create")]
    if program.assigned:
        targets = [a.removeprefix(program.assigned) for a in arguments if a.startswith(program.assigned)]
        deed.does = "change" if targets else deed.does
        deed.writes += [FileWrite(target, "create") for target in targets]
    if program.patch_text:
        deed.writes = list(writes_of_patch(stdin or first))
    _operands(deed, program, operands, given)
    if program.how == "patch" and stdin:
        deed.writes = list(writes_of_patch(stdin)) or deed.writes
    deed.runner = program.runner or name if deed.does in {"verify", "build"} else ""
    return deed


def _operands(deed: Deed, program: ProgramRule, operands: list[str], given: list[tuple[str, str]]) -> None:
    """Add the operands that name files read or written by the program."""
    options = {option for option, _ in given}
    offset = 0 if options & {*program.script_options} else 1
    deed.reads += picked(program.reads, operands, offset)
    if deed.does == "change":
        how: How = "append" if options & {*program.append} else program.how
        lines = lines_of_sed(operands, given) if deed.names == ["sed"] else None
        deed.writes += [FileWrite(path, how, lines) for path in picked(program.writes, operands, offset)]

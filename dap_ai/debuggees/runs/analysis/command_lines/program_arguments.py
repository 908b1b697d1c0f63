"""Parses the arguments of programs listed in programs.toml to operands, options with values, and the call's effect."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.debuggees.runs.analysis.rule_tables import Does, Operands, ProgramRule

_ADDRESS = re.compile(r"\s*(\d{1,9})(?:,(\d{1,9}))?\s*[acdisrw{]")
SHORT = re.compile(r"-[A-Za-z0-9]+")


def lines_of_sed(operands: Sequence[str], given: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
    """Return the line range at the start of a sed script (1-based, inclusive), or None."""
    script = next(
        (value for option, value in given if option in {"-e", "--expression"} and value),
        operands[0] if operands else "",
    )
    found = _ADDRESS.match(script)
    return (int(found[1]), int(found[2] or found[1])) if found else None


def picked(which: Operands, operands: list[str], offset: int) -> list[str]:
    """Return the operands selected by `which`. For "rest", these are the operands from index `offset` on."""
    ranges = {
        "all": slice(None), "rest": slice(offset, None), "first": slice(1), "last": slice(-1, None),
        "butlast": slice(-1), "": slice(0),
    }  # fmt: skip
    return operands[ranges[which]]


def split(program: ProgramRule, arguments: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the operands, and pairs of option and value.

    The value is empty if an option has none.
    """
    operands: list[str] = []
    given: list[tuple[str, str]] = []
    taking = {*program.values, *program.out}
    index, plain = 0, False
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if plain or not word.startswith("-") or word == "-":
            operands.append(word)
        elif word == "--":
            plain = True
        elif word.startswith("--"):
            option, equals, value = word.partition("=")
            if not equals and option in taking and index < len(arguments):
                value, index = arguments[index], index + 1
            given.append((option, value))
        else:
            index = _short(word, arguments, index, taking, given)
    return operands, given


def _short(word: str, arguments: Sequence[str], index: int, taking: set[str], given: list[tuple[str, str]]) -> int:
    """Split a word such as `-xvf` into one option per letter, add these options, and return the next index.

    The last letter may take the next word as its value.
    """
    given.append((word, ""))
    letters = (SHORT.match(word) or [""])[0][1:]
    given += [(f"-{letter}", "") for letter in letters]
    last = f"-{letters[-1]}" if letters else ""
    if last in taking and len(letters) < len(word) - 1:
        given.append((last, word[len(letters) + 1 :]))  # `-O-`, `-o./x`
    if (last in taking or word in taking) and len(letters) == len(word) - 1 and index < len(arguments):
        given.append((last if last in taking else word, arguments[index]))
        return index + 1
    return index


def effect_by(program: ProgramRule, operands: list[str], arguments: list[str], given: list[tuple[str, str]]) -> Does:
    """Return the effect of a program's call. Options take precedence over subcommands."""
    for option, value in given:
        for key in (option, f"{option} {value}"):
            if key in program.options:
                return program.options[key]
    if arguments and arguments[0].isalpha():
        for letter, does in program.first_letters.items():
            if letter in arguments[0]:
                return does
    if program.any_sub:
        found: list[Does] = [program.subs[o] for o in operands if o in program.subs]
        return "verify" if "verify" in found else found[0] if found else program.effect
    if not program.subs or not operands:
        return program.effect
    return _sub(program, operands[0], arguments)


def _sub(program: ProgramRule, sub: str, arguments: list[str]) -> Does:
    """Return the effect of a subcommand. Names of two words take precedence."""
    after = arguments[arguments.index(sub) + 1 :]
    for word in after:
        if (does := program.subs.get(f"{sub} {word.partition(':')[0]}")) is not None:
            return does
    return program.subs.get(sub, program.default_sub or program.effect)

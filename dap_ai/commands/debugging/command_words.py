"""The commands of `dap-ai debug` with their spellings in pdb and gdb.

1. If pdb and gdb share a command word, pdb's meaning applies. The exception is `w`: `w EXPRESSION` watches, and `w`
   alone is pdb's `where`.
2. `r` is gdb's `run` while the program is held at its first line, and pdb's `return` afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from dap_ai.system.texts import code

Takes = Literal["nothing", "count", "place", "place?", "line", "line?", "expression", "expression?", "numbers", "text"]
"""The kind of argument that a command takes.

A `place` is FILE:LINE, a line or a function, with `if CONDITION`. With `?` the argument may be omitted.
"""


class Word(NamedTuple):
    """A command of the prompt, with its spellings and its help."""

    name: str
    spellings: str
    """All spellings of the command, separated by spaces; the help shows the first spelling."""
    takes: Takes
    usage: str
    help: str
    repeats: bool = False
    """Whether an empty line repeats the command."""


GROUPS: Mapping[str, tuple[Word, ...]] = {
    "Running": (
        Word("run", "run", "text", "[ARGS]", "let the program go from its first line; later: start it again"),
        Word("restart", "restart start", "text", "[ARGS]", "start it again, and hold it at its first line"),
        Word("continue", "c cont continue fg", "text", "[&]", "to the next stop; with &, the prompt comes back", True),
        Word("next", "n next ni nexti", "count", "[N]", "to the next line, over calls", True),
        Word("step", "s step si stepi", "count", "[N]", "to the next line, into calls", True),
        Word("finish", "fin finish return", "nothing", "", "until this function returns", True),
        Word("until", "unt until advance", "line?", "[LINE]", "to a line further down, or out of the function", True),
        Word("jump", "j jump", "line", "LINE", "go on from another line: what lies between does not run"),
        Word("back", "back rn rs reverse-next reverse-step", "count", "[N]", "a line back; `rs`: into calls", True),
        Word("back-continue", "rc reverse-continue", "nothing", "", "to the breakpoint before, or the start", True),
        Word("interrupt", "interrupt", "nothing", "", "pause a program that runs (Ctrl-C does, too)"),
        Word("kill", "kill k", "nothing", "", "end the program, and stay here"),
        Word("detach", "detach", "nothing", "", "leave, and let the program go on"),
        Word("quit", "q quit exit", "nothing", "", "leave: the program ends, or what was attached to goes on"),
    ),
    "Stops": (
        Word("break", "b br brea break", "place?", "[FILE:LINE|LINE|FUNCTION [if COND]]", "stop there; alone: list"),
        Word("tbreak", "tb tbr tbreak", "place", "FILE:LINE|LINE|FUNCTION", "stop there once"),
        Word("delete", "delete del cl clear", "text", "[N... | FILE:LINE]", "forget breakpoints; alone: all of them"),
        Word("disable", "disable dis", "numbers", "N...", "keep a breakpoint, but pass it"),
        Word("enable", "enable en", "numbers", "N...", "stop there again"),
        Word("condition", "condition cond", "text", "N [CONDITION]", "stop only if it holds; alone: always"),
        Word("ignore", "ignore", "numbers", "N COUNT", "pass a breakpoint so often"),
        Word("watch", "watch awatch", "expression", "EXPRESSION", "stop where its value changes; also w EXPRESSION"),
    ),
    "Looking": (
        Word("where", "bt where backtrace w", "text", "[N]", "the stack, outermost call last", False),
        Word("up", "u up", "count", "[N]", "to the caller's frame", True),
        Word("down", "d do down", "count", "[N]", "to the frame that was called", True),
        Word("frame", "f frame", "count", "[N]", "this frame, or frame N"),
        Word("list", "l li list", "text", "[LINE|FIRST,LAST|FUNCTION|.]", "source; again: goes on", True),
        Word("longlist", "ll longlist", "nothing", "", "the whole function"),
        Word("source", "source so", "expression", "NAME", "the source of a function or type; of a FILE: its commands"),
        Word("print", "p print output inspect", "expression", "EXPRESSION", "its value; nothing changes", True),
        Word("pretty", "pp", "expression", "EXPRESSION", "its items or fields, a line each", True),
        Word("whatis", "whatis ptype", "expression", "EXPRESSION", "its type"),
        Word("examine", "x", "expression", "[/FORMAT] ADDRESS", "memory of a native program", True),
        Word("disassemble", "disas disassemble", "text", "[ADDRESS]", "instructions of a native program"),
        Word("args", "a args", "nothing", "", "the function's arguments"),
        Word("info", "info i", "text", "locals|args|b|frame|threads|registers|display|source", "as in gdb"),
        Word("display", "display", "expression?", "[EXPRESSION]", "show it at each stop"),
        Word("undisplay", "undisplay", "text", "[N | EXPRESSION]", "no longer"),
        Word("threads", "threads", "nothing", "", "all threads"),
        Word("thread", "thread t", "text", "[ID]", "go to another thread"),
    ),
    "Changing the program": (
        Word("execute", "! call set exec", "text", "STATEMENT", "run it in the program itself"),
    ),
    "Asking": (
        Word("why", "why", "text", "[QUESTION]", "why did it stop here? or another question"),
        Word("fix", "fix", "text", "[apply [N] | QUESTION]", "what to change, tried in a copy; `fix apply` writes it"),
        Word("trace", "trace", "expression", "EXPRESSION", "run it in a copy, line by line"),
        Word("history", "history", "text", "EXPRESSION [when CONDITION]", "the values it took, by a run in a copy"),
        Word("slice", "slice", "expression", "EXPRESSION", "the lines that made its value"),
    ),
    "Here": (
        Word("help", "h help", "text", "[COMMAND]", "this list, or one of it"),
    ),
}  # fmt: skip

WORDS: Mapping[str, Word] = {word.name: word for words in GROUPS.values() for word in words}
SPELLINGS: Mapping[str, Word] = {spelling: word for word in WORDS.values() for spelling in word.spellings.split()}

INFO: Mapping[str, str] = {
    **dict.fromkeys(("locals", "local", "lo", "l", "variables"), "locals"),
    **dict.fromkeys(("args", "ar", "a"), "args"),
    **dict.fromkeys(("breakpoints", "breakpoint", "break", "br", "b", "watchpoints", "wat"), "breakpoints"),
    **dict.fromkeys(("registers", "reg", "r", "all-registers"), "registers"),
    **dict.fromkeys(("threads", "th"), "threads"),
    **dict.fromkeys(("frame", "f"), "frame"),
    **dict.fromkeys(("stack", "s"), "where"),
    **dict.fromkeys(("display", "di"), "display"),
    **dict.fromkeys(("source", "line", "program", "prog"), "source"),
    **dict.fromkeys(("output",), "output"),
}
"""The subjects of the command `info`, by their spellings."""

ELSEWHERE: Mapping[str, str] = {
    "interact": "There is no Python prompt inside the program: `p EXPRESSION` looks, `!STATEMENT` changes.",
    "debug": "There is no debugger in the debugger: `trace EXPRESSION` runs a call in a copy, line by line.",
    "commands": "A breakpoint has no commands of its own: `display EXPRESSION` shows a value at each stop.",
    "alias": "Commands cannot be renamed; what you always want first stands in ~/.dap-airc.",
    "unalias": "Commands cannot be renamed.",
    "retval": "What a function has returned is shown by `trace CALL`, in a copy.",
    "rv": "What a function has returned is shown by `trace CALL`, in a copy.",
    "exceptions": "A chain of exceptions is told by `why`.",
    "handle": "Signals that would end the program stop it; others are passed on.",
    "catch": "Exceptions: start dap-ai debug with --exception raised or userUnhandled.",
    "file": "The program is named when dap-ai debug is started.",
    "attach": "To attach: dap-ai debug --pid N.",
    "core-file": "To read a core file: dap-ai debug --core FILE.",
    "layout": "There is no full-screen view: `l` and `ll` show the source.",
    "tui": "There is no full-screen view: `l` and `ll` show the source.",
    "shell": "A shell is not started from here.",
    "record": "Nothing needs to be recorded: `back` runs a copy of the program again to the line before.",
    "python": "There is no Python of the debugger's: `!STATEMENT` runs one in the program.",
    "show": "Settings are shown by `dap-ai config`.",
    "undo": "Nothing that ran in the program can be undone: `back` looks at the past, `restart` starts it again.",
}
"""Advice for commands of pdb and gdb that do not exist here, by command."""


def listed() -> str:
    """Return the help for all commands, one line per command, with its first and its longest spelling."""
    lines: list[str] = []
    for title, words in GROUPS.items():
        lines += [f"{title}:", *(f"  {_shown(word):<34}{word.help}" for word in words), ""]
    return "\n".join([*lines, *_RULES])


def explained(text: str) -> str:
    """Return the help for one command, given any of its spellings."""
    word = SPELLINGS.get(text)
    if word is None:
        return ELSEWHERE.get(text, f"There is no command {code(text)}; `help` lists all.")
    return f"{', '.join(word.spellings.split())}  {word.usage}\n    {word.help}"


def _shown(word: Word) -> str:
    first, *others = word.spellings.split()
    longest = max(others, key=len, default="")
    usage = word.usage if len(word.usage) < 22 else word.usage.split(" [")[0].split("|")[0].strip("[") + " ..."
    return f"{first}{f', {longest}' if longest else ''} {usage}".rstrip()


_RULES = (
    "A bare name or expression is printed. Any other line is a question; `? ...` always is one.",
    "An empty line does n, s, c, l, u, d, p again. `;;` separates commands. Ctrl-C pauses the program; again: leaves.",
)

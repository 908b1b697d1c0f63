"""Effects of git subcommands on files."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.command_lines.command_effect import Deed
from dap_ai.debuggees.runs.analysis.command_lines.patches import writes_of_patch
from dap_ai.debuggees.runs.analysis.rule_tables import programs

WHOLE_TREE = "."
"""Path of a write that may change any file."""
_MERGING = {"revert", "merge", "rebase", "cherry-pick", "pull", "switch", "am"}
_VALUES = {"-C", "-c", "--git-dir", "--work-tree"}


def git_deed(arguments: Sequence[str], stdin: str | None) -> Deed:
    """Return the effects of the command `git` with these arguments.

    `stdin` is the text of the command's here-document, or None.
    """
    directory, rest = _directory(arguments)
    if not rest:
        return Deed("explore", ["git"])
    sub, after = rest[0], rest[1:]
    subs = programs().programs["git"].subs
    known = next((key for word in after or [""] if (key := f"{sub} {word}") in subs), sub)
    deed = Deed(subs.get(known, "run"), [f"git {sub}"], within=directory)
    if deed.does == "change":
        _files(deed, sub, after, stdin)
    elif sub in {"diff", "show", "blame", "grep"} and "--" in after:
        deed.reads = after[after.index("--") + 1 :]
    return deed


def _directory(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the value of the option `-C`, and the arguments from the subcommand on."""
    directory, index = "", 0
    while index < len(arguments) and arguments[index].startswith("-"):
        if arguments[index] == "-C" and index + 1 < len(arguments):
            directory = arguments[index + 1]
        index += 2 if arguments[index] in _VALUES else 1
    return directory, list(arguments[index:])


def _files(deed: Deed, sub: str, after: list[str], stdin: str | None) -> None:
    """Add the files that a git subcommand with the effect `change` writes."""
    operands = [word for word in after if not word.startswith("-")]
    named = after[after.index("--") + 1 :] if "--" in after else [w for w in operands if "." in w or "/" in w]
    if sub == "checkout" and not {"-b", "-B", "--orphan"} & set(after):
        deed.writes = [FileWrite(path, "restore", tree=path == WHOLE_TREE) for path in named or [WHOLE_TREE]]
    elif sub == "restore" and "--staged" not in after:
        deed.writes = [FileWrite(path, "restore", tree=path == WHOLE_TREE) for path in operands]
    elif sub in {"reset", "stash"} and _takes_back(sub, after, operands):
        deed.writes = [FileWrite(WHOLE_TREE, "restore", tree=True)]
    elif sub in _MERGING or (sub == "stash" and operands[0] in {"pop", "apply"}):
        deed.writes = [FileWrite(WHOLE_TREE, "patch", tree=True)]
    elif sub == "apply":
        deed.reads = operands
        deed.writes = list(writes_of_patch(stdin or "")) or [FileWrite(WHOLE_TREE, "patch", tree=True)]
    elif sub == "clean":
        deed.writes = [FileWrite(WHOLE_TREE, "delete", tree=True)]
    elif sub in {"rm", "mv"}:
        deed.writes = [FileWrite(path, "delete") for path in (operands if sub == "rm" else operands[:-1])]
        deed.writes += [FileWrite(path, "move") for path in (operands[-1:] if sub == "mv" else [])]
    elif sub in {"clone", "init"}:
        deed.writes = [FileWrite(operands[-1], "unknown")] if len(operands) > (sub == "clone") else []


def _takes_back(sub: str, after: list[str], operands: list[str]) -> bool:
    """Return whether the command reverts the working tree: `reset --hard`, `stash` or `stash push`."""
    if sub == "reset":
        return "--hard" in after
    return not operands or operands[0] in {"push", "save"}

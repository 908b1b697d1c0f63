"""What faults are made of: calls and results as each family of agents writes them, and a run that goes on with them.

A dialect words the same deed as its agents' logs do: `sed` and here-documents with exit codes, the windowed editor of
SWE-agent without any, tools for files, an editor with sub-commands. Runs are made of the normalized model: readers are
not tried by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from dap_ai.debuggees.runs.run_model import Event, Outcome, Ref, Run, Status


@dataclass
class Did:
    """One step. `mark`: `onset`, `wrong` (also on the way), `defended` (another reader's onset), or nothing."""

    said: str
    tool: str = ""
    """"" for a message without a call."""
    text: str = ""
    arguments: Mapping[str, Any] | None = None
    result: str | None = ""
    exit_code: int | None = None
    status: Status = "unknown"
    mark: str = ""


# ruff: noqa: ARG002  a dialect uses what its tools record
class Dialect:
    """How a family of agents calls its tools. `exits`: it records exit codes; `tools`: it has tools for files."""

    name = "bash"
    shell_tool = "bash"
    exits = True

    def shell(self, command: str, result: str = "", code: int = 0, said: str = "") -> Did:
        status: Status = "error" if code else "ok"
        return Did(said, self.shell_tool, command, {"command": command}, result, code if self.exits else None, status)

    def read(self, path: str, text: str, said: str = "") -> Did:
        return self.shell(f"cat {path}", text, said=said)

    def edit(self, path: str, old: str, new: str, said: str = "") -> Did:
        return self.shell(f"sed -i 's|{old}|{new}|' {path}", said=said)

    def create(self, path: str, text: str, said: str = "") -> Did:
        return self.shell(f"cat <<'EOF' > {path}\n{text}\nEOF", said=said)

    def refused(self, path: str, old: str, new: str, said: str = "") -> Did:
        """An edit that the tool did not make."""
        command = f"sed -i 's|{old}|{new})|' {path}"
        return self.shell(command, "sed: -e expression #1, char 38: unknown option to `s'", 1, said)

    def end(self, said: str, patch: str) -> list[Did]:
        """Handing in."""
        made = self.shell("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached", patch)
        return [msgspec_free(made, said=said, code=None)]


def msgspec_free(did: Did, *, said: str, code: int | None) -> Did:
    """The step with other words and exit code."""
    return Did(said, did.tool, did.text, did.arguments, did.result, code, "unknown", did.mark)


class Windowed(Dialect):
    """SWE-agent's own editor."""

    name = "windowed editor"
    exits = False

    def read(self, path: str, text: str, said: str = "") -> Did:
        lines = text.split("\n")
        shown = "\n".join(f"{n}:{line}" for n, line in enumerate(lines, 1))
        return self.shell(f"open {path}\n", f"[File: {path} ({len(lines)} lines total)]\n{shown}", said=said)

    def edit(self, path: str, old: str, new: str, said: str = "") -> Did:
        result = f"[File: {path} (40 lines total)]\n10:{new}\nFile updated. Please review the changes."
        return self.shell(f"edit {10}:{10}\n{new}\nend_of_edit\n", result, said=said)

    def create(self, path: str, text: str, said: str = "") -> Did:
        return self.shell(f"cat <<'EOF' > {path}\n{text}\nEOF\n", said=said)

    def refused(self, path: str, old: str, new: str, said: str = "") -> Did:
        result = (
            "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then"
            " retry editing the file.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nThis is how your edit"
            " would have looked if applied"
        )
        return self.shell(f"edit 10:10\n    {new}\nend_of_edit\n", result, said=said)

    def end(self, said: str, patch: str) -> list[Did]:
        return [self.shell("submit\n", f"\n{patch}", said=said)]


class Tools(Dialect):
    """Claude Code's tools; exit codes stand in the text."""

    name = "tools for files"
    shell_tool = "Bash"
    exits = False

    def shell(self, command: str, result: str = "", code: int = 0, said: str = "") -> Did:
        made = super().shell(command, f"Exit code {code}\n{result}" if code else result, code, said)
        made.exit_code = code or None
        made.result = made.result or "(Bash completed with no output)"
        return made

    def read(self, path: str, text: str, said: str = "") -> Did:
        shown = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(text.split("\n"), 1))
        return Did(said, "Read", "", {"file_path": path}, shown, None, "ok")

    def edit(self, path: str, old: str, new: str, said: str = "") -> Did:
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        return Did(said, "Edit", "", arguments, f"The file {path} has been updated.", None, "ok")

    def create(self, path: str, text: str, said: str = "") -> Did:
        arguments = {"file_path": path, "content": text}
        return Did(said, "Write", "", arguments, f"File created successfully at: {path}", None, "ok")

    def refused(self, path: str, old: str, new: str, said: str = "") -> Did:
        made = self.edit(path, old, new, said)
        made.result, made.status = "<tool_use_error>String to replace not found in file.</tool_use_error>", "error"
        return made

    def end(self, said: str, patch: str) -> list[Did]:
        return [Did(said)]


class Editor(Dialect):
    """An editor with sub-commands (OpenHands)."""

    name = "editor with sub-commands"
    shell_tool = "execute_bash"

    def _editor(self, said: str, result: str, **arguments: str) -> Did:
        return Did(said, "str_replace_editor", "", arguments, result, None, "unknown")

    def read(self, path: str, text: str, said: str = "") -> Did:
        shown = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(text.split("\n"), 1))
        return self._editor(
            said, f"Here's the result of running `cat -n` on {path}:\n{shown}", command="view", path=path
        )

    def edit(self, path: str, old: str, new: str, said: str = "") -> Did:
        result = f"The file {path} has been edited. Here's the result of running `cat -n` on a snippet:\n    10\t{new}"
        return self._editor(said, result, command="str_replace", path=path, old_str=old, new_str=new)

    def create(self, path: str, text: str, said: str = "") -> Did:
        result = f"File created successfully at: {path}"
        return self._editor(said, result, command="create", path=path, file_text=text)

    def refused(self, path: str, old: str, new: str, said: str = "") -> Did:
        result = f"ERROR:\nNo replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        return self._editor(said, result, command="str_replace", path=path, old_str=old, new_str=new)

    def end(self, said: str, patch: str) -> list[Did]:
        return [Did(said, "finish", "", {"message": said, "task_completed": "true"}, None)]


DIALECTS: Mapping[str, Dialect] = {
    "mini-swe-agent": Dialect(),
    "swe-agent": Windowed(),
    "claude-code": Tools(),
    "harbor": Tools(),
    "terminal-bench": Tools(),
    "openhands": Editor(),
}


@dataclass
class Kit:
    """What a fault is made with. Paths are absolute; `work` and `other` are files of the project."""

    random: Random
    dialect: Dialect
    root: str
    work: str
    other: str
    test: str
    result: str
    """A file that the task asks for by its absolute path."""
    before: str = ""
    """The difference that the run had made before."""

    def one_of(self, *values: str) -> str:
        return self.random.choice(values)

    @property
    def words(self) -> str:
        """An identifier that is nobody else's."""
        return f"{self.random.choice(('limit', 'offset', 'encode', 'retry', 'bounds'))}_{self.random.randrange(10, 99)}"


def prefix(run: Run, steps: int) -> list[Event]:
    """The events of a run up to the end of step `steps`; what stands after the last step is left out."""
    last = max((event.index for event in run.events if 0 < event.step <= steps), default=-1)
    kept = [event for event in run.events if event.index <= last and event.step <= steps]
    return [event for event in kept if event.kind != "end"]


def patch_of(paths: Sequence[str]) -> str:
    """A difference of these files."""
    names = [path.lstrip("/") for path in paths]
    return "".join(f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n" for name in names)


def going_on(run: Run, steps: int, added: Sequence[Did], *, task: str, outcome: Outcome, ends: bool) -> Run:
    """`run` up to step `steps`, then what was added. `ends`: an end without words is recorded."""
    events = [msgspec.structs.replace(event, index=index) for index, event in enumerate(prefix(run, steps))]

    def add(kind: Any, **fields: Any) -> None:
        events.append(Event(len(events), kind, Ref(lines=(len(events) + 1, len(events) + 1)), **fields))

    for number, did in enumerate(added, steps + 1):
        add("response", text=did.said, step=number)
        if did.tool:
            given = did.arguments or {}
            add("call", tool=did.tool, arguments=given, text=did.text, step=number, call_id=f"made-{number}")
            if did.result is not None:
                add(
                    "result", text=did.result, exit_code=did.exit_code, status=did.status, step=number,
                    call_id=f"made-{number}",
                )  # fmt: skip
    if ends:
        add("end")
    return msgspec.structs.replace(run, events=events, task=task, outcome=outcome, problems=())

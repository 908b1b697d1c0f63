"""The debug adapters of benchmarks/proxy.py, alone and behind dap_ai, and the programs they debug."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _dap import DAP_AI, DEBUGPY_ADAPTER, ROOT, Client, Failed, Json

sys.path.insert(0, str(ROOT))
from tests.integration import native

SIDES = ("alone", "dap_ai")
LINES = 100_000
LINE_BYTES = 65

_PYTHON = {
    "stop": """\
import sys

if len(sys.argv) > 1:
    import debugpy

    debugpy.listen(("127.0.0.1", int(sys.argv[1])))
    print("listening", flush=True)
    debugpy.wait_for_client()


def inner(a, b):
    numbers = list(range(10_000))
    text = "x" * (1 << 20)
    record = {"k%d" % i: i for i in range(20)}
    return a / b


def outer(n):
    label = "outer"
    return inner(n, n - 5)


outer(5)
""",
    "output": f"""\
line = "%07d " + "o" * 56
for number in range({LINES}):
    print(line % number)
""",
}
_C = {
    "stop": r"""
#include <stdlib.h>
#include <string.h>

struct order { int id; struct order *next; };

static int inner(struct order *order, int depth) {
    int numbers[10000];
    char *text = malloc((1 << 20) + 1);
    memset(text, 'x', 1 << 20);
    text[1 << 20] = 0;
    for (int i = 0; i < 10000; i++) numbers[i] = i;
    return order->id + numbers[depth] + text[0];
}

static int outer(int n) {
    struct order one = {n, NULL};
    return inner(one.next, n);
}

int main(void) { return outer(5); }
""",
    "output": rf"""
#include <stdio.h>

int main(void) {{
    for (int i = 0; i < {LINES}; i++)
        printf("%07d oooooooooooooooooooooooooooooooooooooooooooooooooooooooo\n", i);
    return 0;
}}
""",
}


class Subject(NamedTuple):
    """A kind of debug adapter."""

    name: str
    commands: Mapping[str, list[str]]
    """By side."""
    programs: Mapping[str, Path]
    launch: Mapping[str, Any]
    whole_text: str
    """The context of `evaluate` that cuts a string least."""

    def spawn(self, side: str) -> Client:
        """The adapter, started."""
        return Client.spawn(self.commands[side])

    def arguments(self, program: str) -> Json:
        """Of `launch`."""
        return {**self.launch, "program": str(self.programs[program])}

    def whole(self) -> Subject:
        """The same, showing strings of any length: what `variables` then costs is not what a session has to bear."""
        if self.name == "gdb":
            *start, flag, dap = self.commands["alone"]
            return self._replace(commands=_commands([*start, "-iex", "set print elements unlimited", flag, dap]))
        if self.name == "debugpy":
            return self
        return self._replace(launch={"initCommands": ["settings set target.max-string-summary-length 2000000"]})

    @property
    def filters(self) -> list[str]:
        """The exception breakpoints at which the program stops."""
        return ["uncaught"] if self.name == "debugpy" else []

    def stopped(self, side: str) -> tuple[Client, int]:
        """A session whose program has stopped at its mistake, and the thread."""
        client = self.spawn(side)
        return client, client.start("launch", self.arguments("stop"), filters=self.filters)["threadId"]


def subjects(wanted: Sequence[str], folder: Path) -> list[Subject]:
    """Those that are installed, of the wanted ones; the others are named on the screen."""
    commands = {"debugpy": DEBUGPY_ADAPTER, **native.adapters()}
    for name in wanted or ("lldb-dap", "gdb"):
        if not any(name in found for found in commands):
            print(f"{name} IS MISSING from these figures: it is not installed")
    return [_subject(name, command, folder) for name, command in commands.items() if not wanted or name in wanted]


def frame_called(client: Client, thread_id: int, name: str) -> int:
    """The id of the program's frame of this name. Raises Failed."""
    for frame in client.request("stackTrace", {"threadId": thread_id, "levels": 20})["stackFrames"]:
        if frame["name"].split("(")[0].endswith(name):
            return frame["id"]
    raise Failed(f"no frame is called {name}")


def _subject(name: str, command: list[str], folder: Path) -> Subject:
    if name == "debugpy":
        programs = {key: _written(folder / f"{key}.py", text) for key, text in _PYTHON.items()}
        launch = {"console": "internalConsole", "python": [sys.executable], "justMyCode": False}
        return Subject(name, {"alone": command, "dap_ai": [*DAP_AI, "serve"]}, programs, launch, "clipboard")
    programs = {key: native.build(text, folder, key) for key, text in _C.items()}
    return Subject(name, _commands(command), programs, {}, "watch")


def _commands(command: list[str]) -> dict[str, list[str]]:
    return {"alone": command, "dap_ai": [*DAP_AI, "serve", "--backend", shlex.join(command)]}


def _written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file

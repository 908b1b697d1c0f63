"""Reports of real programs, under each debug adapter, as they come out of its output and its `exceptionInfo`."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.session_history import SessionHistory
from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.native.answer.native_context import first_context
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.protocol.contracts.backend import AdapterCommand
from tests.integration import native
from tests.integration.native_launch import stopped_client
from tests.integration.native_stop import NativeStop
from tests.patience import at_worst

ADAPTERS = ("lldb-dap 19", "lldb-dap 22", "lldb-dap 23", "gdb")
_COMPILE_S = at_worst(120)
_OPTIONS = "abort_on_error=1:detect_leaks=0:halt_on_error=1"

FREED = """\
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *made(int value) {
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    return node;
}
static void release(struct node *node) {
    free(node);
}
int main(void) {
    struct node *head = made(7);
    puts("one node");
    fflush(stdout);
    release(head);
    return head->value;
}
"""
ADDED = """\
#include <limits.h>
static int add(int a, int b) {
    return a + b;
}
int main(int argc, char **argv) {
    (void)argv;
    return add(INT_MAX, argc) > 0;
}
"""
RACING = """\
#include <pthread.h>
int counter;
static void *count(void *arg) {
    for (int i = 0; i < 10000; i++)
        counter++;
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, count, 0);
    pthread_create(&two, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"""
ASSERTED = """\
#include <assert.h>
static int half(int x) {
    assert(x > 0);
    return x / 2;
}
int main(void) {
    return half(-4);
}
"""
CORRUPTED = """\
#include <stdlib.h>
static void drop(char *text) {
    free(text);
}
int main(void) {
    char *text = malloc(10);
    drop(text);
    drop(text);
    return 0;
}
"""


class Stop(NativeStop):
    """With the output that a session keeps."""

    kept: SessionHistory

    def caught(self) -> None:
        return None

    def output_tail(self) -> Sequence[tuple[str, str]]:
        return self.kept.output_tail()


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., StopSnapshot]:
    """What the agent reads where a program stops by itself: (adapter, source, sanitizers)."""
    for name in ("ASAN", "UBSAN", "TSAN"):
        monkeypatch.setenv(f"{name}_OPTIONS", _OPTIONS)

    def stopped(adapter: str, source: str, sanitize: str = "") -> StopSnapshot:
        argv = native.need(adapter)
        return asyncio.run(_case(argv, _built(source, tmp_path, sanitize)))

    return stopped


def _built(source: str, folder: Path, sanitize: str) -> Path:
    if not sanitize:
        return native.build(source, folder, "shop")
    compiler = shutil.which("gcc") or pytest.skip("no gcc here: its sanitizers are used")
    (file := folder / "shop.c").write_text(source, encoding="utf-8")
    command = [compiler, "-g", "-O0", "-pthread", f"-fsanitize={sanitize}", "-o", str(folder / "shop"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S)
    if done.returncode:
        pytest.skip(f"this gcc has no -fsanitize={sanitize}")
    return folder / "shop"


async def _case(argv: list[str], program: Path) -> StopSnapshot:
    history = SessionHistory()

    def keep(name: str, body: dict[str, Any]) -> None:
        if name == "output":
            history.add_output(body.get("category", "console"), body["output"])

    launch = {"program": str(program), "cwd": str(program.parent)}
    async with stopped_client(AdapterCommand(argv, {}), launch, listener=keep) as (client, body):
        stop = Stop(client, body)
        stop.kept = history
        return await StopReader(stop, Sources(), "observe").read(stop.stop)  # pyright: ignore[reportArgumentType]  as in native_stop


def report(case: StopSnapshot) -> Report:
    assert case.report is not None
    return case.report


def lines_of(found: Report) -> list[list[tuple[str, int]]]:
    return [[(frame.name.split("(")[0], frame.line) for frame in stack.frames] for stack in found.stacks]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_use_after_free_is_read_with_its_allocation_and_its_free(
    adapter: str, stopped: Callable[..., StopSnapshot]
) -> None:
    found = report(stopped(adapter, FREED, "address"))
    assert (found.kind, found.access, found.size, found.line) == ("heap-use-after-free", "read", 4, 17)
    assert lines_of(found) == [[("main", 17)], [("release", 10), ("main", 16)], [("made", 5), ("main", 13)]]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_its_first_context_tells_the_report_once_and_stays_small(
    adapter: str, stopped: Callable[..., StopSnapshot]
) -> None:
    case = stopped(adapter, FREED, "address")
    text = first_context(case, analyse(case), 2000)
    assert text.count("heap-use-after-free") == 1
    assert "freed by thread T0: release shop.c:10 `free(node);` <- main shop.c:16" in text
    assert "output: one node" in text
    assert len("".join(line for line in text.split("\n") if line[:1] not in "> ").encode()) < 1200


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_overflow_that_ubsan_finds_is_told_with_its_line(adapter: str, stopped: Callable[..., StopSnapshot]) -> None:
    found = report(stopped(adapter, ADDED, "undefined"))
    assert (found.tool, found.kind, found.line) == ("UndefinedBehaviorSanitizer", "signed-integer-overflow", 3)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_data_race_tells_the_line_of_both_accesses(adapter: str, stopped: Callable[..., StopSnapshot]) -> None:
    found = report(stopped(adapter, RACING, "thread"))
    assert found.kind == "data race"
    assert lines_of(found)[:2] == [[("count", 5)], [("count", 5)]]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_failed_assertion_is_read(adapter: str, stopped: Callable[..., StopSnapshot]) -> None:
    found = report(stopped(adapter, ASSERTED))
    assert (found.kind, found.message, found.line) == ("assertion", "x > 0", 3)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_c_librarys_abort_is_read(adapter: str, stopped: Callable[..., StopSnapshot]) -> None:
    found = report(stopped(adapter, CORRUPTED))
    assert (found.tool, found.kind) == ("libc", "double free")

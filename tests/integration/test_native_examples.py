"""The offline answer about each native example, from the real command to the real adapters."""

from __future__ import annotations

import functools
import json
import subprocess
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.integration import native
from tests.integration.native_examples import DIAGNOSES, EXAMPLES, backend_for, built
from tests.patience import at_worst

FIRST = 3
RUNNING = [name for name, diagnosis in DIAGNOSES.items() if diagnosis["stop"] != "deadlock"]
_SETTLED_S = at_worst(20.0)

Ask = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def ask(run_dap_ai: Ask, adapter: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """What `dap-ai ask` answers: the event askEnded."""
    backend = backend_for(adapter, monkeypatch.setenv)

    def ask(*arguments: object) -> dict[str, Any]:
        done = run_dap_ai("ask", "--json", "--provider", "offline", "--backend", backend, *arguments)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        ended = next((event for event in events if event["event"] == "askEnded"), None)
        assert ended, done.stderr.decode()
        return ended

    return ask


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`program("ledger")`: the example, compiled once."""
    folder = tmp_path_factory.mktemp("examples")
    return functools.cache(lambda name: built(name, folder))


@pytest.mark.parametrize(
    ("adapter", "name"),
    [
        *(("lldb-dap 23", name) for name in RUNNING),
        *(("gdb", name) for name in ("ledger", "average_wait", "recipes", "timetable")),
        *(("lldb-dap 19", name) for name in ("ledger", "settings")),
    ],
)
def test_an_answer_names_the_faulty_line_and_the_value_that_proves_it(
    name: str, ask: Callable[..., dict[str, Any]], program: Callable[[str], Path]
):
    """All by one adapter; by gdb one of each signal and of each language, by an old lldb-dap one of C and one of Rust.

    Reports of sanitizers by each: test_native_reports; a deep stack by each: test_native_faults. Not `recipes` by an old lldb-dap: on a busy machine its map of strings takes longer to read than an answer waits, and
    is then told as `[...]`. What it reads of one when there is time: test_native_inspector.
    """
    _check(ask(program(name)), name)


@pytest.fixture
def deadlocked(program: Callable[[str], Path]) -> Generator[psutil.Popen]:
    """The example whose threads wait for each other, when they do."""
    native.need_attach()
    if not Path("/proc/self/syscall").exists():
        pytest.skip("this machine does not tell what a thread waits for")
    deadline = time.monotonic() + _SETTLED_S
    while True:
        with psutil.Popen([program("accounts")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            try:
                if _comes_to_wait(process):
                    yield process
                    return
                assert time.monotonic() < deadline, "the threads do not come to wait"
            finally:
                process.kill()  # else leaving would wait for it for ever


def _comes_to_wait(process: psutil.Popen) -> bool:
    """False if it has ended instead: on a busy machine its threads may run one after the other."""
    while process.poll() is None:
        if process.num_threads() == 3 and not any(_runs(process, thread.id) for thread in process.threads()):
            return True
        time.sleep(0.01)
    return False


def _runs(process: psutil.Popen, thread_id: int) -> bool:
    """Whether a thread is in anything but `futex`: the call that waits for a lock or for another thread."""
    try:
        call = Path(f"/proc/{process.pid}/task/{thread_id}/syscall").read_text(encoding="ascii").split()[0]
    except OSError:
        return True
    return call not in ("202", "98")  # futex on x86-64 and on aarch64


@pytest.mark.parametrize("adapter", ["lldb-dap 23", "gdb", "lldb-dap 19"])
def test_an_answer_about_a_deadlocked_process_names_who_holds_what(
    ask: Callable[..., dict[str, Any]], deadlocked: psutil.Popen
):
    answer = ask("--pid", deadlocked.pid)
    _check(answer, "accounts")
    assert "holds" in answer["answer"]


def _check(ended: dict[str, Any], name: str) -> None:
    diagnosis = DIAGNOSES[name]
    file = EXAMPLES / diagnosis["file"]
    suspects = [suspect["line"] for suspect in ended["suspects"] if Path(suspect["file"]).name == file.name]
    assert set(diagnosis["lines"]).intersection(suspects[:FIRST]), ended["answer"]
    assert diagnosis["value"] in ended["answer"], ended["answer"]

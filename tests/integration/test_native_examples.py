"""The offline answer about each native example, from the real command to the real adapters."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.integration import native
from tests.integration.native_examples import ADAPTERS, DIAGNOSES, EXAMPLES, backend_for, built
from tests.patience import patient

FIRST = 3
RUNNING = [name for name, diagnosis in DIAGNOSES.items() if diagnosis["stop"] != "deadlock"]
_SETTLED_S = patient(20.0)

Ask = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(params=ADAPTERS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A native backend whose adapter is here."""
    return backend_for(request.param, monkeypatch.setenv)


@pytest.fixture
def ask(run_dap_ai: Ask, backend: str) -> Callable[..., dict[str, Any]]:
    """What `dap-ai ask` answers: the event askEnded."""

    def ask(*arguments: object) -> dict[str, Any]:
        done = run_dap_ai("ask", "--json", "--provider", "offline", "--backend", backend, *arguments)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        ended = next((event for event in events if event["event"] == "askEnded"), None)
        assert ended, done.stderr.decode()
        return ended

    return ask


@pytest.mark.parametrize("name", RUNNING)
def test_an_answer_names_the_faulty_line_and_the_value_that_proves_it(
    name: str, ask: Callable[..., dict[str, Any]], tmp_path: Path
):
    _check(ask(built(name, tmp_path)), name)


@pytest.fixture
def deadlocked(tmp_path: Path) -> Generator[psutil.Popen]:
    """The example whose threads wait for each other, when they do."""
    native.need_attach()
    if not Path("/proc/self/syscall").exists():
        pytest.skip("this machine does not tell what a thread waits for")
    with psutil.Popen([built("accounts", tmp_path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + _SETTLED_S
            while process.num_threads() < 3 or any(_runs(process, thread.id) for thread in process.threads()):
                assert time.monotonic() < deadline, "the threads do not come to wait"
                time.sleep(0.01)
            yield process
        finally:
            process.kill()  # else leaving would wait for it for ever


def _runs(process: psutil.Popen, thread_id: int) -> bool:
    """Whether a thread is in anything but `futex`: the call that waits for a lock or for another thread."""
    try:
        call = Path(f"/proc/{process.pid}/task/{thread_id}/syscall").read_text(encoding="ascii").split()[0]
    except OSError:
        return True
    return call not in ("202", "98")  # futex on x86-64 and on aarch64


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

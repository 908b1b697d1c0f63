"""Sessions of benchmarks/listeners.py around agents, test runs and kernels: what runs no program under a debugger."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

from _dap import DAP_AI, ROOT

sys.path.insert(0, str(ROOT))
from tests.chat.endpoint import Endpoint, Reply
from tests.integration.live_agents import Session as Live

_LIMIT_S = 120.0
_TINY = ROOT / "tests" / "agents" / "tiny.py"
_FAILS = "def share(total, people):\n    return total / people\n\n\ndef test_share():\n    assert share(10, 0) == 5\n"
Session = Generator[None]


def _environment(model: Endpoint) -> dict[str, str]:
    return {**os.environ, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "DAP_AI_PROVIDER": "offline"}


def _ran(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> None:
    subprocess.run(list(map(str, words)), cwd=cwd, env=env, capture_output=True, timeout=_LIMIT_S, check=False)


@contextlib.contextmanager
def recorded(folder: Path) -> Session:
    """`dap-ai record`, while the agent waits for its model."""
    command = [*DAP_AI, "record", "--no-workspace", "--out", folder / "held", "--", sys.executable, _TINY, "Go."]
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with (
        Endpoint([Reply("Done.", hold="start")]) as model,
        subprocess.Popen(list(map(str, command)), cwd=folder, env=_environment(model), **quiet) as process,
    ):
        model.wait(1)
        yield
        model.release()
        process.wait(_LIMIT_S)


@contextlib.contextmanager
def held(folder: Path, *, python: bool) -> Session:
    """`dap-ai serve --backend agents`, held before a call. `python`: its own Python is debugged as well."""
    work = folder / f"work-{python}" / "here"
    work.mkdir(parents=True)
    replies = [Reply("I look.", calls=[("bash", {"command": "echo one"})]), Reply("Done.")]
    command, pipes = [*DAP_AI, "serve", "--backend", "agents"], dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with Endpoint(replies) as model, subprocess.Popen(command, env=_environment(model), **pipes) as process:
        live = Live(process)
        live.launch([sys.executable, str(_TINY), "Go."], work, filters=["call"], workspace=False, python=python)
        if python:
            live.reply(live.until(lambda m: m.get("command") == "startDebugging"), {})
        live.held()
        yield
        live.go()
        live.over()
        live.answer("disconnect")
        process.stdin.close()


@contextlib.contextmanager
def asked(folder: Path) -> Session:
    """`dap-ai ask --agent`, to its end."""
    with Endpoint([Reply("Done.")]) as model:
        _ran(*DAP_AI, "ask", "--agent", "--", sys.executable, _TINY, "Go.", cwd=folder, env=_environment(model))
        yield


@contextlib.contextmanager
def replayed(folder: Path) -> Session:
    """`dap-ai run replay`, to its end."""
    command = ["record", "--out", folder / "tape", "--", sys.executable, _TINY, "Go."]
    (folder / "place").mkdir()
    with Endpoint([Reply("Done.")]) as model:
        _ran(*DAP_AI, *command, cwd=folder / "place", env=_environment(model))
        _ran(*DAP_AI, "run", "replay", folder / "tape", cwd=folder, env=_environment(model))
        yield


@contextlib.contextmanager
def tested(folder: Path) -> Session:
    """`pytest --ask`, to its end, with the process that answers."""
    (folder / "test_share.py").write_text(_FAILS, encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"}
    _ran(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--ask", "test_share.py", cwd=folder, env=env)
    yield


@contextlib.contextmanager
def in_kernel(folder: Path) -> Session:
    """`dap-ai ask --kernel` beside a running kernel, whose ports are Jupyter's."""
    from jupyter_client.manager import start_new_kernel  # noqa: PLC0415  an extra

    manager, client = start_new_kernel(kernel_name="python3")
    try:
        client.execute_interactive("1 / 0", timeout=_LIMIT_S, output_hook=lambda _: None)
        _ran(*DAP_AI, "ask", "--kernel", manager.connection_file, "-q", "why?", cwd=folder)
        yield
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def sessions(folder: Path) -> dict[str, Callable[[], contextlib.AbstractContextManager[None]]]:
    """By name."""
    return {
        "record": partial(recorded, folder),
        "agent, held": partial(held, folder, python=False),
        "agent and its Python, held": partial(held, folder, python=True),
        "ask --agent": partial(asked, folder),
        "run replay": partial(replayed, folder),
        "pytest --ask": partial(tested, folder),
        "ask --kernel": partial(in_kernel, folder),
    }

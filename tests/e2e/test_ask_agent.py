"""`dap-ai ask --agent`: an agent runs on the user's terminal until something goes wrong, which is explained."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.chat.endpoint import Endpoint, Reply
from tests.patience import patient

TINY = [sys.executable, str(Path(__file__).parents[1] / "agents" / "tiny.py"), "Fix the bug in shop.py"]
CHECKED = (
    Reply("I write.", calls=[("bash", {"command": "echo 'def test_it(): pass' > test_a.py"})]),
    Reply("The tests.", calls=[("bash", {"command": f"{sys.executable} -m pytest -q -p no:cacheprovider test_a.py"})]),
    Reply("Done."),
)
WRITES = Reply("I write.", calls=[("bash", {"command": "echo 1 > a.txt"})])


def ask(
    replies: Sequence[Reply], *options: str, cwd: Path, command: Sequence[str] = TINY, said: str = ""
) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "DAP_AI"))}
    (cwd / "work").mkdir()
    with Endpoint(replies) as model:
        environ |= {"OPENAI_BASE_URL": model.url, "XDG_DATA_HOME": str(cwd / "data")}
        return subprocess.run(
            [sys.executable, "-m", "dap_ai", "ask", "--provider", "offline", "--agent", *options, "--", *command],
            cwd=cwd / "work",
            env=environ,
            input=said,
            capture_output=True,
            text=True,
            timeout=patient(90.0),
        )


def test_success_without_a_change_is_explained_and_the_agent_goes_on(tmp_path: Path):
    done = ask([Reply("I fixed it. Done.")], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "stopped: 1 response: I fixed it. Done.: Success without change" in done.stderr
    assert "the agent says that it is done, and no file of the workspace has changed" in done.stdout
    assert done.stdout.splitlines()[-1] == "I fixed it. Done."
    assert "the agent ended with exit code 0" in done.stderr


def test_a_loop_is_explained_while_it_goes_on(tmp_path: Path):
    same = [Reply(f"Again {n}.", calls=[("bash", {"command": "echo same; exit 1"})]) for n in range(3)]
    done = ask([*same, WRITES, Reply("Done.")], cwd=tmp_path)
    stop = next(line for line in done.stderr.splitlines() if line.startswith("stopped: "))
    assert "same" in stop  # by the filter, or by analysis, whichever sees it first
    assert (tmp_path / "work" / "a.txt").exists()


def test_an_agent_that_ends_badly_is_asked_about_at_its_end(tmp_path: Path):
    failing = [sys.executable, "-c", "import sys; print('no key'); sys.exit(4)"]
    done = ask([], cwd=tmp_path, command=failing)
    assert "no key" in done.stdout
    assert "the agent has ended: exit code 4" in done.stderr
    assert "the agent ended with exit code 4" in done.stderr


def test_an_agent_that_ends_well_is_not_asked_about_but_in_a_chat(tmp_path: Path):
    (tmp_path / "one").mkdir()
    done = ask(CHECKED, cwd=tmp_path / "one")
    assert (done.returncode, "the agent has ended well" in done.stderr) == (1, True)
    (tmp_path / "two").mkdir()
    done = ask(CHECKED, "--chat", cwd=tmp_path / "two", said="what did it change\nquit\n")
    assert "test_a.py" in done.stdout, done.stderr


def test_what_was_never_checked_is_told_at_the_end(tmp_path: Path):
    done = ask([WRITES, Reply("Done.")], cwd=tmp_path)
    assert "never checked" in done.stderr, done.stderr
    assert "the agent ended with exit code 0" in done.stderr


def test_a_program_reads_the_answer_and_the_agents_output_as_json(tmp_path: Path):
    done = ask([Reply("I fixed it. Done.")], "--json", cwd=tmp_path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    (ended,) = [row for row in rows if row["event"] == "askEnded"]
    assert "no file of the workspace has changed" in ended["answer"]
    assert any("I fixed it. Done." in str(row) for row in rows if row["event"] == "output")


def test_what_is_no_command_is_refused(tmp_path: Path):
    done = ask([], cwd=tmp_path, command=["no-such-agent"])
    assert (done.returncode, "no command that can be found" in done.stderr) == (2, True)

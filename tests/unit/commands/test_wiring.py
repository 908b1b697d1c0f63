"""What a proxy is made of: what its wire log still knows of sessions that have ended."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dap_ai.adapter.state.session_options import NOBODY_ELSE, SessionAccess
from dap_ai.commands import wiring
from dap_ai.commands.display.wirelog import WireLog
from dap_ai.settings import configuration

pytestmark = pytest.mark.anyio


async def test_of_a_session_that_has_ended_its_wire_log_keeps_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(wiring, "_LOG_S", 0.0)
    resolved = configuration.Resolved(configuration.Settings(provider="offline"), {})
    recipe = wiring.ProxyWiring(resolved, NOBODY_ELSE, None, None, None, WireLog(tmp_path / "wire.jsonl"))
    agents = [recipe.agent({}) for _ in range(3)]
    recipe._agents_maskers[0].learn_text("open-sesame-42")
    assert recipe._found() == {"open-sesame-42"}
    for agent in agents:
        await agent.close()
    while recipe._agents_maskers:
        await asyncio.sleep(0)
    assert recipe._found() == set()


@pytest.mark.parametrize(
    ("backend", "arguments"),
    [
        ("debugpy", {"python": "/x"}),
        ("debugpy", {"python": ["/x"]}),
        ("debugpy", {"pythonPath": "/x"}),
        ("debugpy", {"debugLauncherPath": "/x"}),
        ("gdb", {"target": "| /x"}),
        ("lldb", {"initCommands": ["platform shell /x"]}),
        ("cat", {"miDebuggerPath": "/x"}),
    ],
)
def test_a_client_without_a_token_does_not_name_what_runs_beside_its_program(backend: str, arguments: dict[str, Any]):
    settings = configuration.Settings(provider="offline", backend=backend, python="/own/python")
    recipe = wiring.ProxyWiring(
        configuration.Resolved(settings, {}), SessionAccess(anonymous=True), None, None, None, None
    )
    with pytest.raises(ValueError, match=next(iter(arguments))):
        recipe.for_anybody("launch", {"program": "a", **arguments})
    completed = recipe.for_anybody("launch", {"program": "a"})
    assert completed == {"program": "a", **({"python": "/own/python"} if backend == "debugpy" else {})}
    assert recipe.for_anybody("launch", {"python": ["/own/python"]})["python"]

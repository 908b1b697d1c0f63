"""A program that runs from another folder than the client's: answers name only the client's paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.integration.live import live

pytestmark = pytest.mark.anyio
RATES = 'RATES = {"book": 2, "pen": 0}\n\n\ndef of(kind):\n    return RATES[kind]\n'
SHOP = """\
import rates


def total(order):
    rate = rates.of(order["kind"])
    return order["price"] / rate


def main():
    print(total({"price": 10, "kind": "book"}))
    print(total({"price": 10, "kind": "pen"}))


main()
"""


@pytest.mark.parametrize("dotted", [False, True], ids=["folder", "dot"])
async def test_an_answer_names_the_clients_paths_and_copies_run_the_debuggees_files(
    dotted: bool, python_versions: dict[str, Path], tmp_path: Path
) -> None:
    here, there = tmp_path / "client", tmp_path / "container"
    for folder in (here, there):
        folder.mkdir()
        (folder / "shop.py").write_text(SHOP, encoding="utf-8")
        (folder / "rates.py").write_text(RATES, encoding="utf-8")
    mapping = {"localRoot": str(here), "remoteRoot": "." if dotted else str(there)}
    python = python_versions.get("3.12") or next(iter(python_versions.values()))
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(there / "shop.py", python=[str(python)], cwd=str(there), pathMappings=[mapping])
        await session.stopped()

        told: list[str] = []
        for question in ("", "where does rate come from?"):
            await session.request("ask", {"question": question})
            ended = await session.event("askEnded")
            assert str(there) not in json.dumps(ended)
            told.append(ended["answer"])

        assert told[0].startswith("The divisor `rate` is `0` at `shop.py:6`.\n")
        assert "`shop.py:5` ran twice: `rate` went `2` -> `0`" in told[0]
        assert "`rates.py:5` in `of`: `of(kind='pen')` returned `0`" in told[1]

"""Any request in any state, through a real `dap-ai serve` to every real adapter: none wedges it.

DAP_AI_FUZZ_SECONDS=600 goes on with fresh seeds for so long, for each adapter.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.budget import TIMEOUT_S, dice, seeds
from tests.fuzz.live_session import STATES, LiveSession
from tests.fuzz.requests import REQUESTS, draw
from tests.integration.subjects import NAMES, subject

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(TIMEOUT_S)]
POKES = 14
"""Requests in one session; with six sessions each request comes about once."""


def test_the_table_has_every_request_of_the_protocol_that_a_client_sends():
    commands = {command for command, _ in REQUESTS}
    assert len(commands) > 50


@pytest.mark.parametrize("name", NAMES)
async def test_no_request_in_no_state_wedges_an_adapter(name: str, tmp_path: Path):
    about = subject(name, tmp_path)
    for seed in seeds(len(STATES)):
        rnd = dice(seed)
        session = await LiveSession.open(about)
        session.log.append(f"seed {seed}: {STATES[seed % len(STATES)]}")
        try:
            await session.go_to(STATES[seed % len(STATES)])
            for _ in range(POKES):
                await session.poke(*draw(rnd, session.known))
            await session.leave()
        finally:
            await session.close()

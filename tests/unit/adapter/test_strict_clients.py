"""What reaches a client that ends over an unknown event."""

from __future__ import annotations

import pytest

from dap_ai.adapter.strict_clients import reads


def test_an_adapters_own_event_does_not_reach_helix():
    assert not reads("hx", "debugpySockets")


@pytest.mark.parametrize("event", ["output", "stopped", "terminated", "progressEnd"])
def test_daps_own_events_reach_helix(event: str):
    assert reads("hx", event)


@pytest.mark.parametrize("client", ["vscode", "neovim", "dape", "vimspector", "zed", ""])
def test_every_event_reaches_everyone_else(client: str):
    assert reads(client, "debugpySockets")

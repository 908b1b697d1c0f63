"""An adapter that ends at once is a failed start with its own words, not an error of ours."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from dap_ai.backends import spawn
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.transport.byte_links import TransportLink
from tests.patience import patient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")


class Closed:
    """The transport of a pipe that was closed when the adapter ended."""

    def get_extra_info(self, _name: str) -> object:
        read, write = os.pipe()
        os.close(write)
        pipe = os.fdopen(read, "rb")
        pipe.close()
        return pipe


def test_a_pipe_that_is_closed_already_can_be_attached_to():
    TransportLink().attach(Closed(), None)


def test_when_an_adapter_has_ended_what_it_said_last_is_known():
    """Its stderr may be read after its stdout has ended."""
    said = "error while loading shared libraries"
    code = f"import os, sys; os.close(1); sys.exit({said!r})"

    async def words_at_the_end() -> str:
        process = await spawn.AdapterProcess.start(AdapterCommand([sys.executable, "-c", code], {}), lambda _text: None)
        ended = asyncio.get_running_loop().create_future()
        process.link.start(lambda _data: None, lambda: ended.set_result(process.last_words), lambda _full: None)
        try:
            return await asyncio.wait_for(ended, patient(30))
        finally:
            await process.end()

    assert asyncio.run(words_at_the_end()) == said


def test_the_adapter_gets_what_is_meant_for_it_and_not_what_is_meant_for_us(monkeypatch: pytest.MonkeyPatch):
    for name, value in {
        "KEY": "1",
        "KEPT": "2",
        "DAP_AI_PRIVATE": "KEY",
        "DAP_AI_TOKEN": "3",
        "DAP_AI_ADAPTER_ENV": '{"PYTHONHOME": "/lldb", "KEPT": "4"}',
    }.items():
        monkeypatch.setenv(name, value)
    inherited = spawn.inherited()
    assert (inherited["PYTHONHOME"], inherited["KEPT"]) == ("/lldb", "4")
    assert not {"KEY", "DAP_AI_PRIVATE", "DAP_AI_TOKEN", "DAP_AI_ADAPTER_ENV"} & inherited.keys()


def test_variables_for_the_adapter_that_cannot_be_read_are_a_failed_start(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAP_AI_ADAPTER_ENV", '{"A": 1}')
    with pytest.raises(OSError, match="DAP_AI_ADAPTER_ENV is no JSON object of texts"):
        spawn.inherited()

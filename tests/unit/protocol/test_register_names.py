"""The general registers among all that an adapter lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from dap_ai.protocol.contracts.register_names import general_registers

pytestmark = pytest.mark.anyio
SCOPES = [{"name": "Locals", "variablesReference": 1}, {"name": "Registers", "variablesReference": 2}]


async def read(scopes: Sequence[Mapping[str, Any]], rows: Mapping[int, Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """The registers of frame 7 of an adapter that has such scopes, and such rows under each reference."""

    async def request(command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if command == "scopes":
            return {"scopes": scopes if arguments == {"frameId": 7} else []}
        return {"variables": rows[arguments["variablesReference"]]}

    return await general_registers(request, 7)


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "value": f"0x{number}"} for number, name in enumerate(names)]


async def test_general_registers_are_taken_and_no_others():
    rows = {2: named("rax", "xmm0", "r15", "EFLAGS", "cs", "x29", "lr")}
    assert await read(SCOPES, rows) == {"rax": "0x0", "r15": "0x2", "EFLAGS": "0x3", "x29": "0x5", "lr": "0x6"}


async def test_of_registers_in_groups_the_first_group_is_read():
    rows = {2: [{"name": "General Purpose", "variablesReference": 5}, {"name": "Floating", "variablesReference": 6}]}
    assert await read(SCOPES, {**rows, 5: named("rip", "rflags")}) == {"rip": "0x0", "rflags": "0x1"}


async def test_half_a_stack_pointer_is_left_out_where_the_whole_is_there():
    assert list(await read(SCOPES, {2: named("rsp", "sp")})) == ["rsp"]
    assert list(await read(SCOPES, {2: named("sp", "x0")})) == ["sp", "x0"]


async def test_an_adapter_without_registers_shows_none():
    assert await read(SCOPES[:1], {1: named("rax")}) == {}
    assert await read(SCOPES, {2: []}) == {}
    assert await read([{"name": "registers"}], {0: []}) == {}

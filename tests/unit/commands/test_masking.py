from __future__ import annotations

import os
from typing import Any

import click
import pytest

from dap_ai.agent.masking.mask import Masker
from dap_ai.commands.display.masked_display import MaskedDisplay, counted, listed
from dap_ai.commands.display.settings_table import resolve
from dap_ai.protocol.wire.ask_messages import AskOutput, Masked, ToolStep

SECRET = "tr0ub4dor&3"
STOP = {"reason": "exception", "text": f"ValueError: no {SECRET}", "threadId": 1}


class Seen:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


def test_a_command_line_and_an_error_are_masked():
    seen = Seen()
    display = MaskedDisplay(seen, Masker())  # type: ignore[arg-type]
    display.command(f"python shop.py --password {SECRET}")
    display.error(f"cannot connect: password={SECRET!r}")
    assert SECRET not in str(seen.calls) and [call[0] for call in seen.calls] == ["command", "error"]


def test_an_exception_is_shown_once_it_is_known_what_in_it_is_secret():
    seen, masker = Seen(), Masker()
    display = MaskedDisplay(seen, masker)  # type: ignore[arg-type]
    display.stopped(STOP)
    display.ask_output(AskOutput("1", "status", "who answers"))
    assert seen.calls == []
    masker.learn_text(SECRET)
    display.ask_output(AskOutput("1", "tool", "inspect", ToolStep("inspect", "inspect")))
    assert [call[0] for call in seen.calls] == ["stopped", "ask_output", "ask_output"]
    assert SECRET not in str(seen.calls)


def test_why_it_stopped_is_shown_also_if_nothing_follows():
    seen = Seen()
    display = MaskedDisplay(seen, Masker())  # type: ignore[arg-type]
    display.stopped(STOP)
    display.close()
    assert [call[0] for call in seen.calls] == ["stopped", "close"]


def test_a_breakpoint_is_shown_at_once():
    seen = Seen()
    MaskedDisplay(seen, Masker()).stopped({"reason": "breakpoint", "threadId": 1})  # type: ignore[arg-type]
    assert seen.calls


def test_secrets_are_counted_and_listed_each_once():
    known, by_name = Masked("<secret:3f2a>", "known", 3), Masked("<secret:3f2a>", "name: token", 1)
    rows = [known, by_name, Masked("<secret:1111>", "known", 1)]
    assert counted(rows) == "2 secrets masked" and counted([]) == "" and counted([known]) == "1 secret masked"
    assert listed(rows) == [
        "<secret:3f2a>  4 times  (named as one in the program, name: token)",
        "<secret:1111>  1 time  (named as one in the program)",
    ]


def test_a_pattern_that_cannot_be_used_ends_the_command_before_anything_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAP_AI_CONFIG", os.devnull)
    with pytest.raises(click.UsageError, match=r"flag: the masking pattern '\(\[a-' is not a regular expression"):
        resolve({"mask": ["([a-"]})

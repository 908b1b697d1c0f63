"""Asks the user at a terminal to allow or refuse each action that the agent requests.

1. Only a person at a terminal can consent: piped input does not count, and neither does text typed before the question.
2. Any answer but a clear yes is a no: an empty line, the end of input, Ctrl-C, or no answer in time.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec

from dap_ai.commands.display.display import Display
from dap_ai.commands.running.prompt import Prompt
from dap_ai.commands.running.run_controls import Controls, Events
from dap_ai.protocol.wire.ask_messages import AskApproval, AskApproveArguments
from dap_ai.protocol.wire.errors import RequestFailed

QUESTION = "allow? [y]es once, [s]ession, [N]o "
_YES, _SESSION = ("y", "yes"), ("s", "session")


class Approvals:
    """Asks the user for consent to one action at a time; the user's line arrives as the event `consent`."""

    def __init__(self, controls: Controls, display: Display, prompt: Prompt, events: Events) -> None:
        self._controls = controls
        self._display = display
        self._prompt = prompt
        self._events = events
        self._pending = ""
        self._timer: asyncio.TimerHandle | None = None

    async def on_request(self, body: dict[str, Any]) -> None:
        """Handle the event `askApproval`: ask the user; refuse if there is no person at a terminal."""
        wanted = msgspec.convert(body, AskApproval)
        self._display.approval(wanted)
        if not self._prompt.has_person:
            self._display.status(f"refused: there is no terminal to ask on; --allow {wanted.kind} allows it in advance")
            await self._answer(wanted.approval_id, allow=False)
            return
        loop, approval_id = asyncio.get_running_loop(), wanted.approval_id

        def tell(text: str | None) -> None:
            said = ("consent", {"approvalId": approval_id, "text": text or ""})
            with contextlib.suppress(RuntimeError):  # the run has ended, and its loop with it
                loop.call_soon_threadsafe(self._events.put_nowait, said)

        self._pending = approval_id
        self._timer = loop.call_later(wanted.timeout_s, self.drop)
        self._display.prompting()
        self._prompt.ask(QUESTION, tell)

    async def on_reply(self, body: dict[str, Any]) -> None:
        """Handle the event `consent`: pass the user's decision to the agent if the agent still waits for it."""
        if body["approvalId"] != self._pending:
            return  # too late
        self._forget()
        word = body["text"].strip().lower()
        remember = word in _SESSION
        await self._answer(body["approvalId"], allow=remember or word in _YES, remember=remember)

    def drop(self) -> None:
        """Withdraw a pending question to the user, because the agent no longer needs a decision."""
        if self._pending:
            self._forget()
            self._prompt.drop()

    def _forget(self) -> None:
        self._pending = ""
        if self._timer:
            self._timer.cancel()

    async def _answer(self, approval_id: str, *, allow: bool, remember: bool = False) -> None:
        arguments = AskApproveArguments(approval_id, allow, remember)
        with contextlib.suppress(RequestFailed):  # the approval has timed out meanwhile
            await self._controls.request("askApprove", msgspec.to_builtins(arguments))

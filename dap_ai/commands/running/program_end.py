"""Ends a run: ends a program that we started or detaches from another, and reports how the program ended."""

from __future__ import annotations

import asyncio
import contextlib

from dap_ai.commands.display.display import Display
from dap_ai.commands.running.outcome import AskOutcome, RunOptions, why_caught
from dap_ai.commands.running.run_controls import Controls
from dap_ai.commands.running.run_targets import Target
from dap_ai.protocol.wire.ask_messages import AskCaught
from dap_ai.protocol.wire.errors import BACKEND_DIED, RequestFailed
from dap_ai.transport.client import ConnectionClosed, DapClient

_END_S = 3.0


class ProgramEnd:
    """Tracks how a program ends; `finish` ends a program that has not ended by itself."""

    def __init__(
        self, client: DapClient, controls: Controls, target: Target, wishes: RunOptions, outcome: AskOutcome
    ) -> None:
        self.exit_code: int | None = None
        """The exit code from the event `exited`; None before that event."""
        self._client = client
        self._controls = controls
        self._target = target
        self._wishes = wishes
        self._outcome = outcome
        self._adapter_died = False

    async def look_after_adapter(self) -> None:
        """Note a failure if the session has ended because the debug adapter died.

        This is checked only if the program's exit code is unknown.
        """
        if self.exit_code is not None:
            return
        try:
            await self._controls.request("threads")
        except RequestFailed as error:
            self._adapter_died = error.message == BACKEND_DIED.message
        except (ConnectionClosed, TimeoutError, asyncio.TimeoutError):
            self._adapter_died = True
        self._outcome.failed |= self._adapter_died

    async def finish(self, display: Display, *, running: bool, quit_wanted: bool) -> None:
        """End the program, or detach from a program that we attached to, and report how the program ended."""
        ends, number = self.exit_code is None, self._outcome.signal_number
        if ends and running and self._target.ours and number:
            self._target.job.send(number)
            await self._target.job.wait(_END_S)
        if ends:
            end = {"terminateDebuggee": self._target.ours}
            with contextlib.suppress(RequestFailed, ConnectionClosed, TimeoutError, asyncio.TimeoutError):
                await self._client.request("disconnect", end, timeout_s=_END_S)
            self._target.job.kill()
        code = await self._target.job.ended()
        if self._target.ours and code is not None and not self._adapter_died:
            code = self.exit_code if self.exit_code is not None else code % 256
            self._outcome.program_status, text = self._target.job.status_of(code)
            if ends and not number and quit_wanted:
                text = "the program was ended, as you asked"
            display.exited(self._outcome.program_status, text)

    def explain(self, display: Display, caught: AskCaught | None = None) -> None:
        """Show why a program that ended by itself never stopped.

        `caught`: the exception that the program itself reported.
        """
        if self._target.ours and not self._outcome.signal_number and not self._outcome.failed:
            status, exceptions = self._outcome.program_status or 0, self._wishes.exceptions
            why = why_caught(caught, exceptions) if caught else self._target.why_no_stop(status, exceptions)
            display.status(why)

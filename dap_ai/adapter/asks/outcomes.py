"""What came of the agent's actions: each has exactly one outcome, and the user's next question hears of it."""

from __future__ import annotations

from dap_ai.adapter.state.effects import ActionWanted, Settled, ToAgent
from dap_ai.adapter.state.history import History
from dap_ai.adapter.state.outbox import Outbox
from dap_ai.protocol.contracts.debugger import Done
from dap_ai.protocol.wire.errors import RequestFailed


class Outcomes:
    """The actions that have none yet, by token."""

    def __init__(self, out: Outbox, history: History) -> None:
        self._out = out
        self._history = history
        self._waiting: dict[int, ActionWanted] = {}

    def expect(self, wanted: ActionWanted) -> None:
        """The agent waits for this one."""
        self._waiting[wanted.token] = wanted

    def waiting(self, token: int) -> ActionWanted | None:
        """The action, if it has no outcome."""
        return self._waiting.get(token)

    def of_ask(self, ask_id: str) -> list[ActionWanted]:
        """Those of an ask."""
        return [wanted for wanted in self._waiting.values() if wanted.ask_id == ask_id]

    def note(self, text: str, result: str = "") -> None:
        """Something was done, for the history."""
        self._history.add("agent", text, result)

    def done(self, wanted: ActionWanted, done: Done) -> None:
        """It was done; an action that has its outcome keeps it."""
        if self._waiting.pop(wanted.token, None) is not None:
            self._out.do(Settled(wanted.token, done))

    def fail(self, wanted: ActionWanted, error: RequestFailed) -> None:
        """It was not; an action that has its outcome keeps it."""
        if self._waiting.pop(wanted.token, None) is not None:
            self._out.do(ToAgent(wanted.token, error=error))

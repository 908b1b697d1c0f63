"""Errors of dap_ai's own at work: at one request, that request fails; at anything else, the session ends.

Somebody may wait for ever for what such an error has swallowed, so no session goes on after it but for the requests of
which Session knows that they concern nobody else. Each error is told to the event loop, with its traceback, masked.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Callable

from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.protocol.wire.safe import Safe

MAX_ERRORS = 10
"""So many errors of ours a session survives, at one request each."""


class SessionFailed(Exception):  # noqa: N818  what has failed is the session
    """An error of dap_ai's own has ended a session; its text is for the user."""


class ErrorBoundary:
    """`ended`: with what the session has ended. `end` is called once then, and `tell` with last messages.

    `mask` takes the secrets out of an error's text.
    """

    def __init__(
        self, session: Session, tell: Callable[[bytes], None], end: Callable[[], None], mask: Callable[[str], Safe]
    ) -> None:
        self.ended: SessionFailed | None = None
        self._session = session
        self._tell = tell
        self._end = end
        self._mask = mask
        self._errors = 0

    def answer(self, event: Event, error: Exception) -> list[Effect]:
        """What is left to do after an error in Session.receive. Raises the error if the session cannot go on."""
        self._errors += 1
        effects = None
        with contextlib.suppress(Exception):  # what fails may be the session
            effects = self._session.answer_failure(type(error).__name__)
        if effects is None or self._errors > MAX_ERRORS:
            raise error
        _report(type(event).__name__, self._traceback(error))
        return effects

    def end_session(self, where: str, error: BaseException) -> None:
        """An error that the session does not survive."""
        if self.ended is not None:
            return
        # No more of the error: its text may hold the program's secrets.
        text = f"dap_ai itself has failed ({type(error).__name__} at {where}) and has ended this debug session."
        self.ended = SessionFailed(text)
        self._end()
        _report(where, self._traceback(error))
        with contextlib.suppress(Exception):  # as above
            for body in self._session.last_words(text):
                self._tell(body)

    def _traceback(self, error: BaseException) -> Safe:
        return self._mask("".join(traceback.format_exception(error)))


def _report(where: str, text: Safe) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": f"dap_ai failed at {where}\n{text}"})

"""Handles internal errors of dap_ai: an error in one request fails that request, any other error ends the session.

A client may wait forever for something that an error has lost, so a session continues only after errors in requests
that Session knows to affect nothing else. Each error is reported to the event loop with its traceback, masked.
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
"""Maximum number of internal errors in single requests that a session survives."""


class SessionFailed(Exception):  # noqa: N818  what has failed is the session
    """Raised if an internal error of dap_ai has ended the session. The message is for the user."""


class ErrorBoundary:
    """Handles the internal errors of one session. `ended` is the error that ended the session, or None.

    When an error ends the session, calls `end` once, and `tell` with each last message to the client. `mask` removes
    secrets from an error's text.
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
        """Return the remaining effects after `error` in a request. Raise `error` if the session cannot continue."""
        self._errors += 1
        effects = None
        with contextlib.suppress(Exception):  # the session itself may be what fails
            effects = self._session.answer_failure(type(error).__name__)
        if effects is None or self._errors > MAX_ERRORS:
            raise error
        _report(type(event).__name__, self._traceback(error))
        return effects

    def end_session(self, where: str, error: BaseException) -> None:
        """End the session because of an error. `where` names the place of the error."""
        if self.ended is not None:
            return
        # Only the error's type: its message may contain the program's secrets.
        text = f"dap_ai itself has failed ({type(error).__name__} at {where}) and has ended this debug session."
        self.ended = SessionFailed(text)
        self._end()
        _report(where, self._traceback(error))
        with contextlib.suppress(Exception):  # the session itself may be what failed
            for body in self._session.last_words(text):
                self._tell(body)

    def _traceback(self, error: BaseException) -> Safe:
        return self._mask("".join(traceback.format_exception(error)))


def _report(where: str, text: Safe) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": f"dap_ai failed at {where}\n{text}"})

"""Makes a process paused after a failure the target of `dap-ai ask --post-mortem`."""

from __future__ import annotations

from dap_ai.commands.running.run_targets import TargetSession
from dap_ai.commands.running.start_debuggee import Debugged, quietly


class PostMortemTarget(Debugged):
    """A process paused after a failure: answers questions at the failure, and is then released."""

    stops_at_exceptions = False
    unmoved = "The program is held where it has failed: it can be looked at, and let go (continue)."
    on_cancel = "cancelling; press Ctrl-C again to leave"
    on_silence = "the process that is held does not answer"

    def __init__(self, address: str) -> None:
        self.connect = address

    async def let_go(self, session: TargetSession) -> bool:
        """Resumes the process at the end of a chat; after a single question, leaves the process paused."""
        if session.wishes.chat:
            await quietly(session, "continue", {"threadId": 1})
        return False

"""The arguments of requests that are answered from a past moment of the program."""

from __future__ import annotations

import msgspec

from dap_ai.adapter.state.ours import FIRST_OF_PAST


class PastArguments(msgspec.Struct, rename="camel"):
    """All arguments of requests that are answered from a past moment of the program."""

    thread_id: int = 0
    frame_id: int | None = None
    variables_reference: int = 0
    start: int | None = None
    count: int | None = None
    start_frame: int | None = None
    levels: int | None = None
    expression: str = ""
    context: str = ""
    dap_ai_into: bool = False
    """For `stepBack`: whether to step into calls that have returned."""

    @property
    def is_of_past(self) -> bool:
        """Whether the arguments name a frame or value of a past moment."""
        return max(self.frame_id or 0, self.variables_reference) >= FIRST_OF_PAST

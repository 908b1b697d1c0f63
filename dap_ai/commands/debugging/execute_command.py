"""The command `!STATEMENT`, the only prompt command that changes the program's state."""

from __future__ import annotations

from dap_ai.commands.debugging.line_parser import ParsedCommand
from dap_ai.commands.debugging.prompt_state import PromptState

_RAN = "ran in the program itself"
_ONLY_LOOKED_AT = "Nothing can be changed in the past: `c` returns to the present; `p EXPRESSION` runs in a copy."


async def execute(here: PromptState, command: ParsedCommand) -> None:
    """Run a statement in the program itself, not in a copy, and say so in the output.

    It needs no confirmation, because the user typed it. Raises RequestFailed with the program's own error, ProgramOver,
    ProgramNotStopped.
    """
    live = here.live
    if not command.text:
        here.say("!STATEMENT runs it in the program itself; `p EXPRESSION` looks without changing it.")
        return
    live.thread_id  # noqa: B018  raises
    if live.in_past:
        here.say(_ONLY_LOOKED_AT)
        return
    line = live.target.statement(command.text)
    if not line:
        here.say(live.target.unmoved or "This cannot be changed: it is only looked at.")
        return
    here.say((await live.evaluate(line)).rstrip())
    here.note(_RAN)

"""Errors of a peer that breaks the protocol, and the catalogue of errors that a user can act on.

A peer that breaks DAP causes a RemoteProtocolError. An ErrorEntry describes an error that a user must act on. It is
sent as DAP's `Message` with an id, and with `showUser` unless the request is one of dap_ai's own.
"""

from __future__ import annotations

import msgspec


class RemoteProtocolError(Exception):
    """The peer sent data that is not DAP."""


class RequestFailed(Exception):  # noqa: N818  DAP's own word for it
    """The response to a request has `success: false`.

    `command` is the request's command, and `message` the response's short text. `user_text` is the text of `body.error`
    for a person, or `message` if the response has no such text.
    """

    def __init__(self, command: str, message: str, user_text: str = "") -> None:
        super().__init__(f"{command}: {user_text or message}")
        self.command = command
        self.message = message
        self.user_text = user_text or message


class NotStopped(RequestFailed):
    """The program is no longer in the stop that the request refers to.

    It is running, stopped elsewhere, or has ended.
    """

    def __init__(self, command: str, user_text: str = "the program is not stopped there any more") -> None:
        super().__init__(command, "notStopped", user_text)


class ErrorEntry(msgspec.Struct, frozen=True):
    """A row of the error catalogue. The `message` and `body.error` of a failed response are made from it."""

    id: int
    """Number from 9000 to 9099, unique in dap_ai. A number is never reused."""
    message: str
    """The response's `message`, one word for programs to test."""
    text: str
    """Text for a person. `{name}` stands for the variable `name`."""
    is_known: bool = False
    """Whether the user already knows about the error. Clients then do not show it."""

    def known(self) -> ErrorEntry:
        """Return a copy of this entry for an error that the user already knows about."""
        return msgspec.structs.replace(self, is_known=True)


NOT_STOPPED = ErrorEntry(9000, "notStopped", "The program is running: pause it first, then ask.")
NOT_STARTED = ErrorEntry(9001, "notStarted", "Nothing is being debugged yet: launch or attach first, then ask.")
ENDED = ErrorEntry(9002, "ended", "The program has ended: there is no live state left to look at.")
ASK_IN_PROGRESS = ErrorEntry(
    9003, "askInProgress", "{askId} is still being answered in this conversation: wait for it, or cancel it."
)
BAD_ASK = ErrorEntry(9004, "invalidArguments", "{reason}")
STALE_FRAME = ErrorEntry(
    9005, "staleFrame", "Frame {frameId} is not of this stop: take a frameId from a stackTrace made since it stopped."
)
NOT_ADVERTISED = ErrorEntry(
    9006, "notSupported", "The debug adapter does not support '{command}' (it never announced {capability})."
)
DENIED_COMMAND = ErrorEntry(
    9007, "notSupported", "'{command}' is not sent to this debug adapter: it would stop answering ({why})."
)
WRONG_STATE = ErrorEntry(9008, "notStopped", "'{command}' needs a stopped thread: this debug adapter would hang.")
BACKEND_DIED = ErrorEntry(9009, "backendDied", "The debug adapter has ended{why}.")
BACKEND_FAILED = ErrorEntry(9010, "backendFailed", "The debug adapter could not be started: {why}")
START_FAILED = ErrorEntry(9015, "startFailed", "{why}")
TOKEN_NEEDED = ErrorEntry(
    9011, "unauthorized", 'This dap_ai wants a token: put "dapAiToken" into the launch or attach arguments.'
)
UNKNOWN_REQUEST = ErrorEntry(9012, "notSupported", "This dap_ai has no request '{command}'.")
BAD_SEQUENCE = ErrorEntry(9013, "invalidArguments", "{reason}")
SEVERAL_STOPPED = ErrorEntry(
    9020, "severalStopped", "Several programs of this session are stopped ({names}): ask in the session of one of them."
)
GUEST_ONLY_READS = ErrorEntry(
    9021, "notSupported", "'{command}' is for the editor whose session this is; one that has joined it asks and reads."
)
GUEST_BUSY = ErrorEntry(
    9023, "busy", "'{command}' was not sent: {count} requests of this client wait for the debug adapter already."
)
RELATIVE_ENDED = ErrorEntry(9022, "ended", "The child session that this was for has ended.")
UNANSWERED = ErrorEntry(9017, "notAnswered", "The debug adapter does not answer '{command}'.")
CORE_FILE = ErrorEntry(9018, "notSupported", "'{command}' is impossible: this is a core file, which does not run.")
NEEDS_ARGUMENTS = ErrorEntry(
    9019, "invalidArguments", "'{command}' lacks arguments that DAP demands: this debug adapter would end."
)
PROGRAM_ENDED = ErrorEntry(9025, "ended", "'{command}' needs a program: this one has ended.")
UNKNOWN_TOOL = ErrorEntry(9016, "unknownTool", "There is no tool '{name}'; the tools are: {tools}.")
NO_MODEL_REQUEST = ErrorEntry(
    9026, "unknownModelRequest", "Nothing was asked of this client's model as {requestId}, or it was answered already."
)
OWN_FAILURE = ErrorEntry(
    9027, "internalError", "dap_ai itself has failed at '{command}' ({error}). The debug session goes on."
)
NO_APPROVAL = ErrorEntry(9014, "unknownApproval", "Nothing is waiting for approval {approvalId}.")
NO_PAST = ErrorEntry(9028, "noPast", "{why}")
ONLY_LOOKED_AT = ErrorEntry(
    9029,
    "notSupported",
    "'{command}' is for the present: this is a moment in the past, in a copy of the program, where nothing can be "
    "changed. `continue` returns to the present.",
)
OTHER_MOMENT = ErrorEntry(9030, "staleReference", "That is of a moment of the program that is shown no more.")
FAILED_THERE = ErrorEntry(9031, "evaluationFailed", "{error}", is_known=True)

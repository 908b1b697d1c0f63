"""Returns reasons, as text for the user, why no copy was made or why a copy lacks memory of the program."""

from __future__ import annotations

from .clone import BusyError

_MAX_NAMED = 3
_LACKING = {
    11: "no more processes are allowed (RLIMIT_NPROC)",
    12: "the program has no memory left (RLIMIT_AS)",
    16: "a GPU library is in use",
    24: "the program has no file descriptor left (RLIMIT_NOFILE)",
}
"""Reasons by error number: EAGAIN, ENOMEM, EBUSY, EMFILE."""

NO_LOOKUPS = "no path was looked up: a network or user file system is mounted, and may not be told of it"


def reason(error: Exception) -> str:
    """Returns the reason why no copy was made, from the error."""
    if isinstance(error, BusyError):
        return "busy: " + str(error)
    if isinstance(error, OSError) and error.errno in _LACKING:
        return _LACKING[error.errno]
    if isinstance(error, OSError) and error.args[1:] == ("clone",):
        return "no copy: errno %d" % error.errno
    return str(error)


def lacking(left_out: list[str]) -> str:
    """Returns the reason why a copy ended that used memory it lacks."""
    more = ", and %d more" % (len(left_out) - _MAX_NAMED) if len(left_out) > _MAX_NAMED else ""
    return "a copy does not have all memory of the program: no " + ", no ".join(left_out[:_MAX_NAMED]) + more

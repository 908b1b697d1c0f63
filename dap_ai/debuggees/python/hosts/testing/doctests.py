"""Turns a doctest with the wrong output into a failed assertion that has a frame; a doctest itself raises nothing.

The example does not run again. A temporary file contains the test's examples on their own lines, and nothing else.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from dap_ai.protocol.wire.safe import Safe

_UNPARSES = hasattr(ast, "unparse")


class NothingToStopAtError(ValueError):
    """A doctest that cannot be written as an assertion; `why` is the reason, as text for the user."""

    def __init__(self, why: Safe) -> None:
        super().__init__(why)
        self.why: Safe = why


class Asserted(NamedTuple):
    """A failure to ask about. If `alias` is set, it stands for the file `path` in texts."""

    exc: BaseException
    alias: str = ""
    path: str = ""


@contextlib.contextmanager
def asserted(exc: BaseException) -> Generator[Asserted]:
    """Yields the exception; for a failed doctest, the exception of an equivalent assertion.

    Raises NothingToStopAtError, OSError.
    """
    failures: Any = getattr(exc, "failures", None)
    if type(exc).__name__ == "MultipleDoctestFailures" and failures:
        exc = failures[0]
    if type(exc).__name__ != "DocTestFailure":
        yield Asserted(exc)
        return
    failed: Any = exc
    text, line = _assertions(failed.test, failed.example)
    path: str = failed.test.filename or "<doctest>"
    folder = tempfile.mkdtemp(prefix="", dir="/tmp" if os.path.isdir("/tmp") else None)  # noqa: PTH112, S108  a short path
    try:
        # Named as a test, so that no fix of it is proposed.
        alias = f"{folder}{os.sep}test_{os.path.basename(path).partition('.')[0]}.py"  # noqa: PTH119
        with os.fdopen(os.open(alias, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        yield Asserted(_failing(alias, line, dict(failed.test.globs)), alias, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _assertions(test: Any, failing: Any) -> tuple[str, int]:
    """Returns the text of a file with the examples, and the failed example's 1-based line.

    Raises NothingToStopAtError.
    """
    first = test.lineno or 0
    rows: dict[int, str] = {}
    for example in test.examples:
        at = first + example.lineno + 1
        if example is failing:
            rows[at] = _assertion(example)
            break
        source: str = example.source
        rows.update(enumerate(source.splitlines(), at))
    at = first + failing.lineno + 1
    return "".join(rows.get(number, "") + "\n" for number in range(1, at + 1)), at


def _assertion(example: Any) -> str:
    """Returns the example as an assertion on one line. Raises NothingToStopAtError."""
    source: str = example.source.strip()
    try:
        parsed = ast.parse(source, mode="eval")
        gives = ast.unparse(parsed) if _UNPARSES else source
    except SyntaxError as error:
        raise NothingToStopAtError("a doctest that is no expression has nothing to stop at") from error
    if "\n" in gives:
        raise NothingToStopAtError("before Python 3.9, a doctest of several lines has nothing to stop at")
    want = example.want.strip()
    if gives.startswith(("print(", "pprint(")) or not want or "..." in want:
        raise NothingToStopAtError("a doctest that prints has nothing to stop at")
    try:
        return f"assert {gives} == {ast.literal_eval(want)!r}"
    except (ValueError, SyntaxError):
        return f"assert repr({gives}) == {want!r}"


def renamed(x: Any, old: str, new: str) -> Any:
    """Replaces one text by another in all strings inside plain lists and dicts; returns a copy."""
    if isinstance(x, str):
        return x.replace(old, new)
    if isinstance(x, list):
        return [renamed(each, old, new) for each in cast("list[Any]", x)]
    if isinstance(x, dict):
        return {key: renamed(each, old, new) for key, each in cast("dict[str, Any]", x).items()}
    return x


def _failing(file: str, line: int, names: dict[str, Any]) -> BaseException:
    """Returns an error whose only frame is at a line of a file, with these names as its variables."""
    error = AssertionError()
    names["_dap_ai_error"] = error
    code = compile("\n" * (line - 1) + "raise _dap_ai_error", file, "exec", dont_inherit=True)
    try:
        exec(code, names)  # noqa: S102  it raises, and does nothing else
    except AssertionError:
        made = error.__traceback__.tb_next if error.__traceback__ else None
        names.pop("_dap_ai_error", None)
        return error.with_traceback(made)
    return error

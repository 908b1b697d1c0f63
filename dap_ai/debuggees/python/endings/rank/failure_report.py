"""Reports a child process's failure to its parent: the traceback, and the values in the user's frames.

Reading values runs no code of the program, and marks values that cleanup code may have changed. The report is made
after the child has printed its traceback; an error here loses only the values. This source text is also part of
dead_children.py. It uses only the standard library, on Python 3.8 and newer.
"""

import io
import os

TYPE_CHECKING = False  # as in `typing`, which costs the child 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CODE = ("function", "class", "module")
SCALARS = ("none", "bool", "int", "float", "complex", "str", "bytes")
"""Kinds of values that cleanup code cannot change, because they are immutable."""
PIECE = 4096
"""Bytes that a pipe writes atomically; a larger write could mix with another child's output."""
MAX_FRAMES = 3
QUERY = {"exception": True, "threads": False, "max_text": 120, "max_items": 8, "max_fields": 8, "max_variables": 24,
         "max_bytes": 12_000, "deadline_ms": 100}  # fmt: skip
"""Limits for the inspection of a failure; the fields are those of protocol.contracts.inspection.Query."""
MAX_SECRETS, SECRET_OBJECTS, SECRETS_S = 40, 2000, 0.02
CHAIN = r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)*"


def send_failure(exc: "Any", end: int, folder: str) -> None:
    """Writes the failure to a pipe, in packets of PID, newline, text and NUL; a text with values begins with byte 1.

    `folder`: the path of inspector/. If empty, no values are sent.
    """
    try:
        rows, values = list(failed_rows(exc)), b""
        head, shown = plain_head(exc), ""
        try:
            if folder:
                head, shown, values = read_quietly(exc, rows, folder)
        except Exception:
            pass  # the traceback is known anyway
        os.write(end, traceback_packet(rows, head, shown))
        for at in range(0, len(values), PIECE - 64):
            os.write(end, b"%d\n\1%b\0" % (os.getpid(), values[at : at + PIECE - 64]))
    except BaseException:  # the pipe is full, or Ctrl-C: there is no one else to report to
        pass


def read_quietly(exc: "Any", rows: "list[Any]", folder: str) -> "tuple[str, str, bytes]":
    """Calls read_failure with garbage collection off, because a collection would run the program's finalizers."""
    import gc

    collecting = gc.isenabled()
    gc.disable()
    try:
        return read_failure(exc, rows, folder)
    finally:
        if collecting:
            gc.enable()


def failed_rows(exc: "Any") -> "Iterator[tuple[Any, int, int]]":
    """Yields (frame, line, instruction offset) of each traceback entry, outermost first."""
    tb = BaseException.__dict__["__traceback__"].__get__(exc)
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno, tb.tb_lasti
        tb = tb.tb_next


def plain_head(exc: "Any") -> str:
    """Returns the exception's type and message as text; only the type if the message is not a plain string."""
    arguments = BaseException.__dict__["args"].__get__(exc)
    message = arguments[0] if len(arguments) == 1 and type(arguments[0]) is str else ""
    return head_of(type.__dict__["__name__"].__get__(type(exc)), message)


def head_of(name: str, message: str) -> str:
    """Returns an exception's type and message as one text, such as `KeyError: 'prise'`."""
    return name.rpartition(".")[2] + (": " + message[:300] if message else "")


def traceback_packet(rows: "list[Any]", head: str, shown: str) -> bytes:
    """Returns the traceback as a packet for the pipe, with the innermost 12, 3 or 1 rows, as many as fit."""
    made = b""
    for most in (12, 3, 1):
        lines = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line, _ in rows[-most:]]
        text = "Traceback (most recent call last):\n"
        text += "".join(f'  File "{file}", line {line}, in {name}\n' for file, line, name in lines)
        text = (text + head + "\n" + shown).replace("\0", "\\0").replace("\1", "\\1")
        made = b"%d\n%b\0" % (os.getpid(), text.encode("utf-8", "replace"))
        if len(made) <= PIECE:
            return made
    return made[: PIECE - 1] + b"\0"


def read_failure(exc: "Any", rows: "list[Any]", folder: str) -> "tuple[str, str, bytes]":
    """Reads a failure: returns the exception's text, the failing line's values, and frames with secrets as JSON."""
    modules = load_reading(folder)
    secrets = modules["secrets"]
    numbered: list[Any] = [(number, *row) for number, row in enumerate(reversed(rows))]
    users = [row for row in numbered if secrets.is_users(row[1].f_code.co_filename)][:MAX_FRAMES]
    chains = [chains_in(line_of(frame.f_code.co_filename, line)) for _, frame, line, _ in users]
    asked = [
        {"frame_id": number, "expressions": list(nodes.values())}
        for (number, *_), nodes in zip(users, chains)  # noqa: B905  as in Python 3.8
    ]
    found = modules["frame_inspector"].inspect(users, exc, dict(QUERY, frames=asked))
    error = found["exceptions"][0]
    for facts, nodes in zip(found["frames"], chains):  # noqa: B905  as in Python 3.8
        keep_values(facts, list(nodes))
    scopes = [scope for _, frame, *_ in users for scope in (modules["scopes"].frame_locals(frame), frame.f_globals)]
    known = secrets.secrets_of(scopes, secrets.SearchBudget(SECRET_OBJECTS, SECRETS_S))[:MAX_SECRETS]
    modules["statics"].forget()
    sent = modules["jsons"].dumps({"frames": found["frames"], "secrets": known})
    shown = shown_values(found["frames"][0]) if users and users[0] == numbered[0] else ""
    is_now = any(facts.get("cleaned") for facts in found["frames"])
    is_known = not is_now or all(value["kind"] in SCALARS for value in error["arguments"])
    return head_of(error["type"], error["message"] if is_known else ""), shown, sent


def load_reading(folder: str) -> "Any":
    """Loads the inspector's modules outside `sys.modules` and returns them by name.

    Calls no function that the program has replaced.
    """
    import marshal
    from importlib.machinery import SourceFileLoader

    def code_of(name: str, place: str) -> "Any":
        return SourceFileLoader(name, os.path.join(place, name + ".py")).get_code(name)

    injector: Any = {"__name__": "dap_ai_probe.injector"}
    exec(code_of("injector", folder), injector)  # noqa: S102  our own code
    places = [place for place, _, _ in os.walk(folder) if os.path.basename(place) not in ("raises", "__pycache__")]
    files = [(file[:-3], place) for place in places for file in sorted(os.listdir(place)) if file.endswith(".py")]
    kept = [(name, place) for name, place in files if name not in ("__init__", "injector")]
    return injector["Injector"]().add([(name, marshal.dumps(code_of(name, place))) for name, place in kept])


def line_of(file: str, number: int) -> str:
    """Returns one line of a source file by its 1-based number; empty if the file or the line does not exist."""
    try:
        with io.open(file, "rb") as lines:  # noqa: UP020  the program may have replaced the builtin one
            return next((line for at, line in enumerate(lines, 1) if at == number), b"").decode("utf-8", "replace")
    except OSError:
        return ""


def chains_in(line: str) -> "dict[str, Any]":
    """Returns the names and dotted attributes in a source line, each with the node that the inspector evaluates."""
    import re

    nodes: dict[str, Any] = {}
    for text in re.findall(CHAIN, line):
        first, *attributes = text.split(".")
        node = nodes[first] = ["n", first]
        for at, name in enumerate(attributes, 1):
            node = nodes[".".join([first, *attributes[:at]])] = ["a", node, name]
    return nodes


def keep_values(facts: "Any", texts: "list[str]") -> None:
    """Removes functions, classes, modules and unread values from a frame's expressions, in place."""
    pairs = list(zip(texts, facts.get("values", ())))  # noqa: B905  as in Python 3.8
    kept = [pair for pair in pairs if pair[1].get("value", {}).get("kind", "function") not in CODE]
    facts["expressions"], facts["values"] = [text for text, _ in kept], [fact for _, fact in kept]


def shown_values(facts: "Any") -> str:
    """Returns the failing line's values at the time of the failure as one line, such as `n = 3, xs = []`."""
    pairs = zip(facts.get("expressions", ()), facts.get("values", ()))  # noqa: B905  as in Python 3.8
    known = [(text, fact["value"]) for text, fact in pairs if not fact["value"].get("time")]
    return ", ".join([f"{text} = {value['text'][:60]}" for text, value in known][:6]).replace("\n", " ")

"""Reads the chain of exceptions that stopped a program, through BaseException's own C descriptors."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

from typing import Any

from .jsons import loads
from .stored.statics import (
    Member,
    instance_dict,
    is_dunder,
    loaded,
    mro,
    names_of,
    namespace,
    short_name,
    text_of,
    type_name,
)
from .stored.values import ValueDescriber

_MAX_CHAIN = 12
_MAX_MEMBERS = 6
_MAX_TOLD = 8000
_SENT = "__frames__"
_TRACEBACK = "Traceback (most recent call last):"
_base: Any = BaseException.__dict__


def exception_chain(describer: ValueDescriber, exc: Any) -> list[dict[str, Any]]:
    """Returns ExceptionFacts dicts of an exception and its causes, contexts and group members, each once."""
    facts: list[dict[str, Any]] = []
    seen: list[Any] = []
    waiting: list[tuple[Any, str]] = [(exc, "")]
    while waiting and len(facts) < _MAX_CHAIN and not describer.budget.spent():
        current, relation = waiting.pop(0)
        if any(current is known for known in seen) or not issubclass(type(current), BaseException):
            continue
        seen.append(current)
        facts.append(_facts(describer, current, relation))
        waiting.extend(_next(current))
    return facts


def _next(exc: Any) -> list[tuple[Any, str]]:
    found: list[tuple[Any, str]] = [(member, "member") for member in group_members(exc)]
    cause, context = _base["__cause__"].__get__(exc), _base["__context__"].__get__(exc)
    if cause is not None:
        found.append((cause, "cause"))
    elif context is not None and not _base["__suppress_context__"].__get__(exc):
        found.append((context, "context"))
    return found


def group_members(exc: Any) -> list[Any]:
    """Returns the first members of an exception group (Python 3.11 and newer); empty for other exceptions."""
    group = loaded("builtins", "BaseExceptionGroup")
    if type(group) is not type or not issubclass(type(exc), group):
        return []
    members = namespace(group)["exceptions"].__get__(exc)
    return list(members[:_MAX_MEMBERS]) if type(members) is tuple else []


def _facts(describer: ValueDescriber, exc: Any, relation: str) -> dict[str, Any]:
    arguments = _base["args"].__get__(exc)
    facts: dict[str, Any] = {
        "type": type_name(type(exc)),
        "message": message_of(describer, exc),
        "relation": relation,
        "arguments": [describer.value(x) for x in arguments[: describer.max_items]],
        "notes": notes_of(describer, exc),
        "traceback": _traceback_text(arguments),
    }
    entry = _base["__traceback__"].__get__(exc)
    for _ in range(5000):
        if entry is None or entry.tb_next is None:
            break
        entry = entry.tb_next
    if entry is not None:
        facts["file"], facts["line"] = text_of(entry.tb_frame.f_code.co_filename), entry.tb_lineno
    sent = sent_with(exc) if facts["traceback"] else {}
    facts["frames"], facts["secrets"] = sent.get("frames", []), sent.get("secrets", [])
    fields = exception_fields(exc)
    if fields:
        facts["fields"] = describer.fields(fields)
    return facts


def _traceback_text(arguments: Any) -> str:
    """Returns the last traceback in the exception's text, as in exceptions from another process; otherwise empty."""
    text = text_of(arguments[0]) if len(arguments) == 1 and issubclass(type(arguments[0]), str) else ""
    at = text.rfind(_TRACEBACK)
    return text[at:][-_MAX_TOLD:] if at >= 0 else ""


def sent_with(exc: Any) -> dict[str, Any]:
    """Returns the `frames` and `secrets` that a failed child process sent; empty for other exceptions."""
    own = instance_dict(exc)
    sent = names_of(own).get(_SENT) if own is not None else None
    try:
        found = loads(sent.encode("ascii")) if type(sent) is str else {}
    except ValueError:  # it was cut to fit
        return {}
    return found if type(found) is dict else {}


def message_of(describer: ValueDescriber, exc: Any) -> str:
    """Returns the message of a builtin exception like `str(exc)`, without calling the class's own `__str__`."""
    arguments = _base["args"].__get__(exc)
    limit = 4 * describer.max_text
    own = exception_fields(exc)
    if issubclass(type(exc), OSError) and "strerror" in own and own["strerror"] is not None:
        name = own.get("filename")
        text = "[Errno %s] %s" % (describer.text(own.get("errno")), _plain(describer, own["strerror"]))
        return (text + (": " + describer.text(name) if name is not None else ""))[:limit]
    if issubclass(type(exc), SyntaxError) and "msg" in own:
        where = " (%s, line %s)" % (_plain(describer, own.get("filename")), describer.text(own.get("lineno")))
        return (_plain(describer, own["msg"]) + where)[:limit]
    if issubclass(type(exc), (UnicodeDecodeError, UnicodeEncodeError)) and "reason" in own:
        words = [_plain(describer, own.get(name)) for name in ("encoding", "start", "end", "reason")]
        return ("'%s' codec can't convert positions %s-%s: %s" % tuple(words))[:limit]
    if group_members(exc):
        return "%s (%d shown)" % (_plain(describer, arguments[0]), len(group_members(exc)))
    if issubclass(type(exc), KeyError) and len(arguments) == 1:
        return describer.text(arguments[0])
    if len(arguments) == 1:
        return _plain(describer, arguments[0])[:limit]
    return "(" + describer.items(arguments, len(arguments), 0) + ")" if arguments else ""


def _plain(describer: ValueDescriber, x: Any) -> str:
    """Returns a string's text, cut to a limit; for any other value its description."""
    return text_of(x)[: 4 * describer.max_text] if issubclass(type(x), str) else describer.text(x)


def notes_of(describer: ValueDescriber, exc: Any) -> list[str]:
    """Returns the notes added to an exception by `add_note` (Python 3.11 and newer)."""
    own = instance_dict(exc)
    notes = names_of(own).get("__notes__") if own is not None else None
    if type(notes) is not list:
        return []
    return [_plain(describer, note) for note in notes[: describer.max_items]]


def exception_fields(exc: Any) -> dict[str, Any]:
    """Returns an exception's stored fields: C members (such as OSError's filename) and instance attributes."""
    values: dict[str, Any] = {}
    for base in reversed(mro(type(exc))):
        for name, part in namespace(base).items():
            if type(part) is Member and not is_dunder(name):
                try:
                    value = part.__get__(exc)
                except Exception:  # noqa: S112  not set
                    continue
                if value is not None:
                    values[name] = value
    own = instance_dict(exc)
    if own is not None:
        values.update({name: x for name, x in names_of(own).items() if name not in ("__notes__", _SENT)})
    return values


def raised_text(describer: ValueDescriber, exc: BaseException) -> str:
    """Returns the exception's type and message, such as `KeyError: 'prise'`."""
    message = message_of(describer, exc)
    return short_name(type(exc)) + (": " + message if message else "")

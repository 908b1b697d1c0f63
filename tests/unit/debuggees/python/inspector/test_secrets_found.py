from __future__ import annotations

import collections
import contextvars
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.debuggees.python.hostile import calls, hostile_objects
from tests.unit.debuggees.python.visiting import visit

pytestmark = pytest.mark.usefixtures("no_collection")
SECRET = "tr0ub4dor&3"


@dataclasses.dataclass
class Account:
    user: str
    password: str


class Slotted:
    __slots__ = ("api_key",)


class Text(str):  # noqa: SLOT000  it has attributes
    def __init__(self, text: str) -> None:
        del text
        self.api_key = SECRET


REQUEST_TOKEN = contextvars.ContextVar("request_token", default=SECRET)


class Shared:
    access_token = SECRET


def slotted() -> Slotted:
    made = Slotted()
    made.api_key = SECRET
    return made


def suspended() -> Iterator[str]:
    def generator(password: str) -> Iterator[str]:
        yield password

    made = generator(SECRET)
    next(made)
    return made


def told(**names: Any) -> list[tuple[str, str]]:
    # the test's own environment is told too
    found = visit(names, secrets=True).secrets
    return [(secret.name, secret.text) for secret in found if SECRET in secret.text]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("password", {"password": SECRET}),
        ("password", {"password": SECRET.encode()}),
        ("password", {"password": bytearray(SECRET.encode())}),
        ("db_password", {"config": {"db": {"db_password": SECRET, "port": 1}}}),
        ("password", {"rows": [{"user": "bob", "password": SECRET}]}),
        ("password", {"accounts": [Account("bob", SECRET)]}),
        ("api_key", {"x": slotted()}),
        ("access_token", {"x": Shared()}),
        ("password", {"x": collections.namedtuple("Login", "user password")("bob", SECRET)}),  # noqa: PYI024  untyped
        ("tokens", {"tokens": collections.deque([SECRET])}),
        ("password", {"x": suspended()}),
        ("request_token", {"x": REQUEST_TOKEN}),
        ("api_key", {"x": Text("of another name")}),
        ("passwords", {"passwords": {"bob": SECRET}}),
        ("token", {"x": lambda token=SECRET: token}),
        ("dsn", {"dsn": f"postgres://bob:{SECRET}@db/x"}),
        ("place", {"place": f"postgres://bob:{SECRET}@db/x"}),
    ],
)
def test_what_stands_under_a_telling_name_is_told(name: str, names: dict[str, Any]) -> None:
    assert [row for row, _ in told(**names)] == [name]


def test_what_stands_under_another_name_is_not() -> None:
    assert told(note=SECRET, rows=[SECRET], config={"comment": SECRET}) == []


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", SECRET)

    assert told() == [("SHOP_TOKEN", SECRET)]


def test_nothing_is_told_that_was_not_asked_for() -> None:
    assert visit({"password": SECRET}).secrets == []


@pytest.mark.parametrize("name", list(hostile_objects()))
def test_looking_for_secrets_runs_no_code_of_an_object(name: str) -> None:
    x = hostile_objects()[name]
    calls.clear()

    visit({"password": x, "tokens": [x, {"password": x}]}, secrets=True)

    assert not calls


def test_a_long_list_and_a_cycle_end() -> None:
    rows: list[Any] = [{"password": SECRET}]
    rows.append(rows)
    rows += [{"n": n} for n in range(100_000)]

    assert told(rows=rows) == [("password", SECRET)]

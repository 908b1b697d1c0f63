"""Where an exception that some code has caught came from."""

from __future__ import annotations

import pytest

from dap_ai.protocol.wire.caught_messages import Caught, CaughtFrame


def caught(*rows: tuple[str, bool]) -> Caught:
    return Caught("KeyError", "3", [CaughtFrame(file, number, "f", user) for number, (file, user) in enumerate(rows)])


def test_the_spot_is_the_innermost_frame_of_the_users():
    assert caught(("/app/main.py", True), ("/app/shop.py", True), ("/lib/json.py", False)).spot.file == "/app/shop.py"
    assert caught(("/lib/a.py", False), ("/lib/b.py", False)).spot.file == "/lib/b.py"


@pytest.mark.parametrize(
    ("runner", "is_of_test"),
    [
        ("/lib/python3/site-packages/_pytest/runner.py", True),
        ("C:\\Python\\Lib\\unittest\\case.py", True),
        ("/lib/python3/site-packages/flask/app.py", False),
    ],
)
def test_an_exception_that_came_through_a_test_runner_is_of_a_test(runner: str, is_of_test: bool):
    assert caught((runner, False), ("/app/shop.py", True)).is_of_test is is_of_test

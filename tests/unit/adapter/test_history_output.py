"""What is kept for the agent: the tail of the program's output, and the latest actions of the user."""

from __future__ import annotations

from dap_ai.adapter.state.session_history import SessionHistory

BOUND = 64_000


def kept(history: SessionHistory) -> str:
    return "".join(text for _, text in history.output_tail())


def test_a_report_of_forty_thousand_characters_that_comes_line_by_line_is_kept_whole() -> None:
    history = SessionHistory()
    place = "in depth /home/dev/a/long/path/to/the/source/of/shop.c:1" + " " * 70
    lines = [f"    #{n} 0x55d0c0ffee{n:02d} {place}\r\n" for n in range(250)]
    for line in lines:
        history.add_output("stdout", line)
    assert kept(history) == "".join(lines)


def test_memory_stays_bounded_by_what_is_newest() -> None:
    history = SessionHistory()
    for n in range(20_000):
        history.add_output("stdout", f"line {n}\n")
    history.add_output("stderr", "the end")
    assert BOUND - 4_000 < len(kept(history)) <= BOUND
    assert kept(history).endswith("line 19999\nthe end")


def test_one_event_longer_than_the_bound_keeps_its_end() -> None:
    history = SessionHistory()
    history.add_output("stdout", "a" * BOUND + "end")
    assert len(kept(history)) == BOUND
    assert kept(history).endswith("end")


def test_few_pieces_hold_many_short_events() -> None:
    history = SessionHistory()
    for _ in range(10_000):
        history.add_output("stdout", "ab\n")
    assert len(history.output_tail()) < 20


def test_every_category_of_text_for_the_user_is_kept_in_order() -> None:
    history = SessionHistory()
    for category in ("console", "important", "stderr", "telemetry", "stdout"):
        history.add_output(category, category)
    assert [category for category, _ in history.output_tail()] == ["console", "important", "stderr", "stdout"]


def test_an_action_of_300_characters_is_kept_whole_and_a_longer_one_is_cut() -> None:
    history = SessionHistory()
    history.add("evaluate", "x" * 300, "y" * 301)
    (item,) = history.since_last("conversation")
    assert (item.text, item.result) == ("x" * 300, "y" * 297 + "...")


def test_the_latest_fifty_actions_are_kept() -> None:
    history = SessionHistory()
    for n in range(60):
        history.add("evaluate", str(n))
    assert [item.text for item in history.since_last("conversation")] == [str(n) for n in range(10, 60)]


def test_a_question_hears_what_came_after_the_one_before_it_but_not_the_stop_that_it_is_about() -> None:
    history = SessionHistory()
    history.add("evaluate", "old")
    history.since_last("conversation")
    history.add("evaluate", "new")
    history.add("stop", "here")
    assert [item.text for item in history.since_last("conversation")] == ["new"]


def test_a_forgotten_conversation_hears_everything_again() -> None:
    history = SessionHistory()
    history.add("evaluate", "old")
    history.since_last("conversation")
    history.forget("conversation")
    assert [item.text for item in history.since_last("conversation")] == ["old"]


def test_a_guest_does_not_hear_what_another_has_asked() -> None:
    history = SessionHistory()
    history.add("ask", "why?", asker="guest-1")
    history.add("evaluate", "n")
    assert [item.text for item in history.since_last("conversation", "guest-2")] == ["n"]

from __future__ import annotations

import pytest

from dap_ai.agent.questions.asked_expressions import candidates


@pytest.mark.parametrize(
    ("question", "language", "found"),
    [
        ("why is order->next null?", "c", "order->next"),
        ("where does head.count come from", "c", "head.count"),
        ("why is *p 7?", "c", "*p"),
        ("what about `a -> b [ 1 ]`?", "c", "a->b[1]"),
        ("what is ns::limit", "cpp", "ns::limit"),
        ("why is this->size 3?", "cpp", "this->size"),
        ("what is items[i + 1].price.", "cpp", "items[i + 1].price"),
        ("why is self.items.0 wrong", "rust", "self.items.0"),
        ("is it 3*count", "c", "count"),
    ],
)
def test_a_question_names_its_native_expression(question: str, language: str, found: str):
    assert candidates(question, language)[0] == found


def test_a_question_names_nothing_that_would_run_code():
    assert candidates("what does `crash()` and `x = 3` do?", "c") == []


def test_a_question_is_of_python_unless_it_is_said():
    assert candidates("why is order.next None?") == ["order.next"]

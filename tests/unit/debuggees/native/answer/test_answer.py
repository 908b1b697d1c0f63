"""The offline answer about a native stop."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.providers.ask_work import TextSink
from dap_ai.agent.report.wording import ADVICE, GUESS, HAPPENED, NOW, WHY
from dap_ai.debuggees.native.analysis.report_builder import root_of
from dap_ai.debuggees.native.answer.answer import NativeAnalyst
from dap_ai.debuggees.native.answer.native_notes import expressions_in, notes
from dap_ai.protocol.contracts.inspection import Binary, ExpressionResult, Value
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.ask_messages import AskArguments
from tests.unit.agent.harness import Heard
from tests.unit.debuggees.native.cases import NULL, At, pointer, stopped

SOURCE = """\
struct order *find(int number) {
    return NULL;
}
int total(void) {
    struct order *order = find(7);
    return order->price * 2;
}
"""


def asked(case: StopSnapshot, question: str = "", later: dict[str, Value] | None = None) -> tuple[Answer, str]:
    """The answer, and what the sink has heard of it. `later`: what is read when it is asked for."""
    heard = Heard()
    told = TextSink(heard)

    async def read(expressions: list[str]) -> None:
        case.places[0].known.update({e: ExpressionResult((later or {}).get(e)) for e in expressions})

    work: Any = SimpleNamespace(
        case=case,
        ask=SimpleNamespace(arguments=AskArguments(question)),
        bench=None,
        debugger=None,
        sink=told,
        read=read,
    )
    answer = asyncio.run(NativeAnalyst().answer(work, case, work.bench))
    answer.text = told.text
    return answer, heard.text("answer")


def crashed() -> StopSnapshot:
    return stopped(SOURCE, [At("total", "order->price", {"order": NULL})], address=16)


def test_an_answer_has_its_four_parts_in_order():
    answer, _ = asked(crashed())
    parts = [
        "`order` is `null` at",
        GUESS,
        ADVICE,
        HAPPENED,
        WHY,
    ]
    assert sorted(parts, key=answer.text.index) == parts
    assert "A null dereference (`SIGSEGV`: address not mapped) at `shop.c:6`, in `total`" in answer.text


def test_every_value_that_is_cited_is_evidence():
    answer, _ = asked(crashed())
    assert [(e.expression, e.value, e.frame_id, e.line) for e in answer.evidence] == [("order", "null", 1, 6)]
    assert "- `order` = `null`" in answer.text


def test_a_name_of_a_caller_is_answered_there():
    source = (
        "int price(struct order *o) {\n    return o->price;\n}\nint total(int n) {\n    return price(find(n));\n}\n"
    )
    number = Value("7", "int", kind="int")
    frames = [At("price", "o->price", {"o": NULL}), At("total", "price(find", {"n": number})]
    answer, _ = asked(stopped(source, frames, address=16), "what is n?")
    assert answer.text.startswith(f"{NOW} `n` is `7` at `shop.c:5`, in `total`.")


def test_what_is_not_understood_is_said():
    answer, _ = asked(crashed(), "which cities have routes?")
    assert answer.text.startswith("Not understood: `cities`, `routes`. Without a language model, ask for example")
    assert "where does order come from?" in answer.text


def test_a_fix_is_said_to_be_untried():
    source = "void f(int *p) {\n    for (int i = 0; i <= 3; i++)\n        p[i] = 0;\n}\n"
    facts = ["0x500c is located 0 bytes after 12-byte region [0x5000,0x500c)"]
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x500C, "write", 4, "/src/shop.c", 3, facts=facts)
    answer, _ = asked(stopped(source, [At("f", "p[i]", {"i": 3, "p": pointer(0x5000)})], signal="", report=report))
    assert "+    for (int i = 0; i < 3; i++)" in answer.fixes[0].diff
    assert not answer.fixes[0].verified
    assert "It was not tried" in answer.text


def test_a_question_about_a_name_is_answered_with_its_value_and_its_origin():
    answer, _ = asked(crashed(), "where does `order` come from?")
    assert answer.text.startswith(f"{NOW} `order` is `null` at `shop.c:6`")
    assert "nearest first" in answer.text
    assert "`shop.c:2` in `find` returns `NULL`" in answer.text


def test_what_a_question_names_and_was_not_read_is_read():
    answer, _ = asked(crashed(), "why is order->next null?", {"order->next": NULL})
    assert "`order->next` is `null" in answer.text


def test_a_question_that_names_nothing_gets_the_whole_answer():
    answer, _ = asked(crashed(), "why did it crash?")
    assert GUESS in answer.text, "a missing check does not tell why there is nothing"


def test_expressions_of_a_question_are_taken_as_their_language_has_them():
    assert expressions_in("why is order->items[2].price 0, and *link?") == ["order->items[2].price", "*link"]
    assert expressions_in("what is `a + b`?") == ["a + b"]


def test_a_stop_without_source_tells_signal_address_and_stack():
    case = stopped(SOURCE, [At("total", "order->price")], address=8)
    case.places[0].source = None
    case.frames[:] = [StackFrame(1, "__strlen_avx2", "", 0, user=False), StackFrame(2, "main", "", 0, user=False)]
    case.inspection.binary = Binary("/bin/shop", debug_info=False)
    answer, _ = asked(case)
    for words in ("`SIGSEGV`", "`0x8`", "null pointer", "`__strlen_avx2`", "no debug information", "-g -O0"):
        assert words in answer.text


def test_an_optimised_program_is_said_to_be_so():
    case = crashed()
    case.inspection.binary = Binary("/bin/shop", optimised=True)
    assert "`shop` is optimised" in " ".join(notes(case, case.places[0]))


def test_a_frame_whose_source_is_elsewhere_is_told_with_what_to_do():
    case = crashed()
    case.frames[0].path = "/home/someone/shop.c"
    assert "sourceMap" in " ".join(notes(case, None))


def test_the_words_of_a_panic_keep_their_quotes():
    source = "fn f(x: Option<u8>) -> u8 {\n    x.unwrap()\n}\n"
    report = Report("panic", "panic", "called `Option::unwrap()` on a `None` value", file="/src/main.rs", line=2)
    answer, _ = asked(stopped(source, [At("f", "x.unwrap")], signal="", report=report, path="/src/main.rs"))
    assert "`` panic: called `Option::unwrap()` on a `None` value ``" in answer.text


def test_what_cannot_be_read_is_said_so_and_the_pointer_in_its_way_is_followed():
    case = crashed()
    case.places[0].known["order->price"] = ExpressionResult(error="raised", text="null dereference of order")
    answer, _ = asked(case, "what is order->price?")
    assert "`order->price` cannot be read" in answer.text
    assert "`find` returns `NULL`" in answer.text


def test_an_asked_expression_that_the_frame_does_not_have_is_said_to_be_none():
    answer, _ = asked(crashed(), "why is other->price 3?")
    assert answer.text.startswith("`other->price` cannot be read at `shop.c:6`, in `total`.")


def test_of_a_program_that_has_crashed_no_step_is_advised():
    source = "void f(void) {\n    abort();\n}\n"
    assert "Step over" not in asked(stopped(source, [At("f", "abort")], signal="SIGABRT"))[0].text


def test_files_of_several_folders_are_told_from_the_one_that_holds_them_all():
    case = crashed()
    file = case.sources.add("/src/books/include/record.h", SOURCE)
    other = case.sources.add("/src/books/main.c", SOURCE)
    inner = StackFrame(1, "total", "/src/books/include/record.h", 6, user=True)
    outer = StackFrame(2, "main", "/src/books/main.c", 5, user=True)
    case.places[:] = [FramePlace(inner, file, None, {}), FramePlace(outer, other, None, {})]
    assert root_of(case) == "/src/books"


def test_a_name_whose_origin_is_asked_for_where_there_is_none_is_said_to_be_unreadable():
    answer, _ = asked(crashed(), "where does nowhere come from?")
    assert answer.text.startswith("`nowhere` cannot be read")


def test_an_english_word_that_a_library_has_as_a_constant_is_not_meant():
    word = Value("word", "enum value_type", "enum")
    answer, _ = asked(crashed(), "is the word here?", {"word": word})
    assert answer.text.startswith("Not understood: `word`.")
    assert "`word` is" not in answer.text


def test_where_a_program_with_debug_information_runs_none_of_its_code_no_other_build_is_advised():
    case = stopped(SOURCE, [At("_start", "return NULL")], signal="")
    case.places.clear()
    case.inspection.binary = Binary("/src/shop", debug_info=True)
    answer, _ = asked(case)
    assert "set a breakpoint in one of them" in answer.text
    assert "-O0" not in answer.text

"""What a model is told first of a native stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.analysis.program_reports import report_of
from dap_ai.debuggees.native.answer.native_context import first_context
from dap_ai.protocol.contracts.inspection import (
    Binary,
    ExpressionResult,
    FrameFacts,
    ThreadFacts,
    ThreadFrame,
    Value,
    Variable,
)
from dap_ai.protocol.contracts.question import HistoryItem
from dap_ai.protocol.wire.ask_messages import Suspect
from tests.unit.debuggees.native.cases import NULL, At, stopped

SAID = Path(__file__).parents[1] / "said"
SHOP = """\
int price_of(struct order *order) {
    return order->item->price * 2;
}
int total(struct order *order) {
    return price_of(order) + 1;
}
int main(void) {
    return total(find(7));
}
"""
ORDER = Value("0x602010 -> {number=7, item=null}", "struct order *", "pointer", address=0x602010)
FRAMES = [
    At("price_of", "->price", {"order": ORDER, "order->item": NULL, "order->item->price": ExpressionResult(error="raised", text="null dereference of order->item")}),
    At("total", "price_of(order) +", {"order": ORDER}),
    At("main", "find(7)"),
]  # fmt: skip


def crash() -> StopSnapshot:
    case = stopped(SHOP, FRAMES, address=0x8)
    case.output = [("console", "Attached to process 7.\n"), ("stdout", "two orders\n")]
    case.history = [HistoryItem("evaluate", "order->item", "0x0")]
    return case


def told(case: StopSnapshot, analysis: NativeAnalysis | None = None, budget_tokens: int = 2000) -> str:
    return first_context(case, analysis, budget_tokens)


def test_the_signal_its_address_and_the_failing_lines_values_come_first() -> None:
    assert told(crash()).startswith(
        "SIGSEGV: address not mapped, read of 0x8\n\n"
        "order->item->price -> raises null dereference of order->item\norder->item -> null"
    )


def test_frames_stand_with_their_values_and_their_line_is_marked() -> None:
    text = told(crash())
    assert "#0 price_of shop.c:2\norder = 0x602010 -> {number=7, item=null}\n```c\n" in text
    assert ">2     return order->item->price * 2;" in text
    assert "#1 total shop.c:5" in text


def test_no_line_of_source_is_quoted_twice() -> None:
    lines = [line.strip("> ") for line in told(crash()).split("\n") if line[:1] in (" ", ">")]
    assert len(lines) == len(set(lines))


def test_an_ordinary_crash_takes_little_beside_its_source() -> None:
    text = told(crash())
    assert len("".join(line for line in text.split("\n") if line[:1] not in "> ").encode()) < 800


def test_the_output_is_the_programs_and_what_the_user_did_is_told() -> None:
    text = told(crash())
    assert text.endswith("output: two orders\nthe user did: order->item -> 0x0")
    assert "Attached" not in text


@pytest.mark.parametrize("budget_tokens", [1, 5, 20, 50, 100, 200, 400])
def test_it_fits_its_budget(budget_tokens: int) -> None:
    assert len(told(crash(), budget_tokens=budget_tokens)) <= budget_tokens * 4


def test_a_small_budget_keeps_the_signal_and_every_frame() -> None:
    text = told(crash(), budget_tokens=70)
    assert text.startswith("SIGSEGV")
    assert all(name in text for name in ("#0 price_of", "#1 total", "#2 main"))


def reported(name: str, *inside: str) -> StopSnapshot:
    case = crash()
    case.inspection.fault, case.inspection.exceptions = None, []
    case.frames[:0] = [StackFrame(100 + n, frame, "", 0, user=False) for n, frame in enumerate(inside)]
    case.output = [("stdout", "two orders\n" + (SAID / name).read_text(encoding="utf-8"))]
    case.report = report_of(case)
    return case


def test_a_report_is_told_once_without_its_legend() -> None:
    text = told(reported("uaf.asan.txt", "__asan::ReportGenericError(unsigned long)"))
    assert text.startswith("AddressSanitizer: heap-use-after-free: READ of size 4 at 0x602000000030 thread T0")
    assert "freed by thread T0: release" in text
    assert text.count("heap-use-after-free") == 1
    assert not any(word in text for word in ("Shadow", "==20785==", "libsanitizer", "unsigned long"))
    assert "output: two orders" in text


def test_the_source_line_of_a_reports_stack_is_quoted_where_it_can_be_read() -> None:
    case = reported("uaf.asan.txt", "__asan::Die")
    case.sources.add("/home/dev/shop/uaf.c", "\n" * 9 + "static void release(struct node *node) { free(node); }\n")
    assert "uaf.c:10 `static void release(struct node *node) { free(node); }` <- main" in told(case)


def test_a_race_at_the_shown_line_tells_whose_access_it_is() -> None:
    case = reported("race.tsan.txt", "__tsan::ReportRace")
    case.places[0].frame.line = 6
    assert "ThreadSanitizer: data race: Read of size 4 by thread T2 (mutexes: write M0)\n" in told(case)


def test_an_assertion_is_to_be_taken_as_right() -> None:
    case = crash()
    case.output = [("stdout", "shop: shop.c:2: price_of: Assertion `order->item' failed.\n")]
    case.frames.insert(0, StackFrame(100, "abort", "", 0, user=False))
    case.report = report_of(case)
    assert "assert: order->item\nThe assertion is to be taken as right." in told(case)


def test_a_recursion_is_one_line_with_the_arguments_of_its_first_calls() -> None:
    source = "int depth(int n) {\n    return depth(n + 1);\n}\nint main(void) {\n    return depth(0);\n}\n"
    case = stopped(source, [*[At("depth", "n + 1", {"n": 900 - k}) for k in range(8)], At("main", "depth(0)")])
    text = told(case)
    assert "#0-7 8 frames of depth -> depth" in text
    assert "#1 n = 899" in text
    assert "#8 main shop.c:5" in text
    assert text.count("```c") == 2


def test_a_deep_stack_is_told_to_its_outer_end() -> None:
    source = "int depth(int n) {\n    return depth(n + 1);\n}\nint main(void) {\n    return depth(0);\n}\n"
    case = stopped(source, [At("depth", "n + 1", {"n": 900 - k}) for k in range(8)])
    case.outermost = [
        StackFrame(998, "depth", "/src/shop.c", 2, user=True),
        StackFrame(999, "main", "/src/shop.c", 5, user=True),
    ]
    case.total_frames = 2000
    assert "#0-1998 1,999 frames of depth -> depth" in told(case)
    assert "#1999 main shop.c:5" in told(case)


def test_threads_in_a_deadlock_say_who_holds_what(tmp_path: Path) -> None:
    (file := tmp_path / "bank.c").write_text("int x;\n", encoding="utf-8")
    case = stopped(SHOP, FRAMES, signal="")
    case.inspection.threads = [
        ThreadFacts("pay", 11, current=True, waiting="mutex", wants="&b.lock", owner=12,
                    frames=[ThreadFrame("pay", str(file), 1)]),
        ThreadFacts("refund", 12, waiting="mutex", wants="&a.lock", owner=11),
        ThreadFacts("logger", 13, waiting="condition"),
    ]  # fmt: skip
    text = told(case)
    assert "thread pay (11) waits for mutex `&b.lock`, held by refund (12) in pay " in text
    assert "thread refund (12) waits for mutex `&a.lock`, held by pay (11)" in text
    assert "other threads: logger (13): condition" in text


def test_without_source_the_registers_and_what_to_do_are_told() -> None:
    case = crash()
    frame = StackFrame(1, "main", "", 0, user=False)
    case.frames, case.places = [frame], [FramePlace(frame)]
    case.inspection.binary = Binary("/bin/shop", debug_info=False)
    case.inspection.registers = {"rax": "0x0", "rip": "0x401136"}
    text = told(case)
    assert "registers: rax=0x0 rip=0x401136" in text
    assert "no debug information" in text


def test_registers_are_not_told_where_there_is_source() -> None:
    case = crash()
    case.inspection.registers = {"rax": "0x0"}
    assert "registers" not in told(case)


def test_what_is_inlined_is_marked() -> None:
    case = crash()
    case.frames[0].name = "price_of [inlined]"
    assert "#0 price_of shop.c:2 (inlined)" in told(case)


def test_suspects_are_told_in_a_line_each() -> None:
    case = crash()
    analysis = NativeAnalysis(case, case.places[0], "null dereference")
    analysis.suspects = [Suspect(file="/src/shop.c", line=8, reason="finds nothing", score=0.8)]
    assert "suspicious (heuristic):\nshop.c:8 0.80 finds nothing" in told(case, analysis)


def test_a_frame_that_could_not_be_read_says_why() -> None:
    case = crash()
    case.places[0].facts = FrameFacts(1, "price_of", "/src/shop.c", 2, error="the adapter has ended")
    assert "(not read: the adapter has ended)" in told(case)


def test_null_is_said_once() -> None:
    case = crash()
    case.places[1].facts = FrameFacts(2, "total", "/src/shop.c", 5, locals=[Variable("last", NULL)])
    assert "last = null\n" in told(case)

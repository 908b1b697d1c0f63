"""What single mistakes of C, C++ and Rust are told as."""

from __future__ import annotations

import pytest

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.debuggees.native.diagnoses.pointers import looks_like
from dap_ai.protocol.contracts.inspection import ThreadFrame, Value
from tests.unit.debuggees.native.cases import At, pointer, stopped

C, CPP, RUST = "/src/shop.c", "/src/shop.cpp", "/src/shop.rs"


def analysed(*arguments: object, **more: object) -> NativeAnalysis:
    found = analyse(stopped(*arguments, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


def told(analysis: NativeAnalysis) -> str:
    return " ".join(analysis.sentences)


def blamed(analysis: NativeAnalysis) -> tuple[int, str]:
    return analysis.suspects[0].line, analysis.suspects[0].reason


@pytest.mark.parametrize(
    ("kind", "line", "reason"),
    [
        ("size_t", 2, "`i >= 0` always holds, because `i` is unsigned"),
        ("int", 2, "the loop may let `i` go too far for what it indexes"),
    ],
)
def test_an_unsigned_index_that_counts_down_is_never_below_zero(kind: str, line: int, reason: str):
    source = "int low(int *values, size_t count) {\n    for (i = count - 1; i >= 0; i--)\n        use(values[i]);\n}\n"
    values = {"i": Value("18446744073709547511", kind, "int"), "values": pointer(0x5000), "count": 5}
    assert blamed(analysed(source, [At("low", "use(", values)], address=0x4000)) == (line, reason)


def _overflowing(allocation: str, code: str, size: int) -> NativeAnalysis:
    source = f"""\
void fill(int n) {{
    struct cell *row = {allocation};
    for (int i = 0; i < n; i++)
        {code}
}}
"""
    stacks = [
        Stack(f"WRITE of size {size}", [ThreadFrame("fill", C, 4)]),
        Stack("allocated by thread T0", [ThreadFrame("fill", C, 2)]),
    ]
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x5030, "write", size, C, 4, stacks)
    label = Value('"column 1"', "char[24]", "str", length=8)
    values = {"i": 1, "n": 6, "row": pointer(0x5000), "row[i].label": label}
    return analysed(source, [At("fill", code, values)], signal="", report=report)


@pytest.mark.parametrize("wrong", ["sizeof(struct cell *)", "sizeof(row)", "sizeof row"])
def test_an_allocation_of_a_pointers_size_is_blamed_and_its_fix_is_shown(wrong: str):
    analysis = _overflowing(f"malloc(n * {wrong})", "row[i].value = 1.5;", 8)
    assert blamed(analysis) == (2, f"`{wrong}` is the size of a pointer, not of what `row` points to")
    assert analysis.fix is not None
    assert analysis.fix.lines == ["    struct cell *row = malloc(n * sizeof *row);"]


@pytest.mark.parametrize("right", ["sizeof *row", "sizeof(struct cell)", "sizeof row[0]"])
def test_an_allocation_of_an_elements_size_is_not_taken_for_a_pointers(right: str):
    assert "size of a pointer" not in blamed(_overflowing(f"malloc(n * {right})", "row[i].value = 1.5;", 8))[1]


def test_a_loop_that_goes_as_far_as_was_allocated_for_is_not_blamed():
    analysis = _overflowing("malloc(n * sizeof(int))", "row[i].value = 1.5;", 8)
    assert blamed(analysis) == (2, "allocates the block, which ends before the access")
    assert 3 not in [suspect.line for suspect in analysis.suspects]


def test_a_copy_that_fits_is_not_blamed_for_where_it_writes():
    analysis = _overflowing("malloc(n * 8)", 'snprintf(row[i].label, 24, "column %d", i);', 9)
    assert "`row[i].label` itself lies outside" in told(analysis)
    assert not any("writes more than" in suspect.reason for suspect in analysis.suspects)


SPLIT = """\
void split(std::vector<Order>& orders) {
    for (Order& order : orders) {
        orders.push_back(order);
        order.customer = "Bob";
    }
}
"""


def _after(freeing: str) -> NativeAnalysis:
    stacks = [
        Stack("WRITE of size 3", [ThreadFrame("split", CPP, 4)]),
        Stack("freed by thread T0", [ThreadFrame("split", CPP, 3)], [freeing]),
    ]
    report = Report("AddressSanitizer", "heap-use-after-free", "", 0x5008, "write", 3, CPP, 4, stacks)
    return analysed(SPLIT, [At("split", "order.customer")], signal="", report=report, path=CPP)


def test_a_container_that_moved_its_elements_while_one_is_referred_to_is_told_as_such():
    analysis = _after("std::vector<Order>::_M_realloc_insert<Order const&>")
    assert blamed(analysis) == (3, "`orders.push_back` moves the elements, while one is still referred to")
    assert "`orders.push_back` moved the elements of `orders` to a larger block" in told(analysis)


def test_what_something_else_than_the_container_freed_was_not_moved():
    assert blamed(_after("Order::~Order")) == (3, "frees what is used again")


@pytest.mark.parametrize("given", ["path.size() + 1", "start"])
def test_an_index_behind_the_end_of_a_string_is_told_with_both_numbers(given: str):
    source = f"std::string f(const std::string& path, size_t start) {{\n    return path.substr({given});\n}}\n"
    said = "basic_string::substr: __pos (which is 10) > this->size() (which is 9)"
    values = {"path": "notes.txt", "start": 10}
    report = Report("terminate", "std::out_of_range", said)
    analysis = analysed(source, [At("f", "substr", values)], signal="SIGABRT", report=report, path=CPP)
    assert told(analysis) == f"`{given}` is `10`, but `path` ends at 9."
    assert blamed(analysis) == (2, "passes `substr` 10, beyond the end of `path`")


def test_the_key_that_an_index_of_a_rust_map_missed_is_told():
    source = "fn price(prices: &Map, name: &str) -> u32 {\n    prices[name]\n}\n"
    prices = Value('{"screw": 3}', "HashMap<&str, u32>", "dict", length=1, keys=['"screw"'])
    report = Report("panic", "panic", "no entry found for key")
    values = {"name": "screws", "prices": prices}
    analysis = analysed(source, [At("price", "prices[name]", values)], signal="", report=report, path=RUST)
    assert '`prices[name]` looks for `name` (`"screws"`), which `prices` does not have' in told(analysis)
    assert blamed(analysis)[0] == 2


def test_a_cut_within_a_character_is_explained_and_its_index_followed():
    source = "fn short(name: &str, width: usize) -> &str {\n    let end = width.min(9);\n    &name[..end]\n}\n"
    report = Report(
        "panic", "panic", "end byte index 4 is not a char boundary; it is inside 'é' (bytes 3..5) of `abcé`"
    )
    values = {"name": "abcé", "width": 4, "end": 4}
    analysis = analysed(source, [At("short", "&name", values)], signal="", report=report, path=RUST)
    assert "a character may have several" in told(analysis)
    assert [suspect.line for suspect in analysis.suspects[:2]] == [3, 2]


def test_a_function_pointer_that_a_string_was_written_over_is_told_as_such():
    source = """\
void make(struct label *label, char *text) {
    strcpy(label->text, text);
}
void show(struct label *label) {
    label->print(label);
}
"""
    function = Value("0x0000550070752065", "void (*)(label *)", "function")
    values = {"label": pointer(0x5000), "label->print": function}
    analysis = analysed(source, [At("show", "label->print", values)], address=0x550070752065)
    assert "'e up'" in told(analysis)
    assert blamed(analysis)[0] == 2


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0x5A5A5A5A5A5A5A5A, "each of its bytes is 0x5a"),
        (0x0101010101010101, "each of its bytes is 0x1"),
        ((1 << 64) - 1, "it is -1"),
        (0xCCCCCCCCCCCCCCCC, "0xcc, with which"),
        (0xCDCDCDCDCDCDCDCD, "0xcd, with which"),
        (0xDDDDDDDDDDDDDDDD, "0xdd, with which"),
        (0xFDFDFDFDFDFDFDFD, "0xfd, with which"),
        (0xABABABABABABABAB, "0xab, with which"),
        (0x12345678FEEEFEEE, "0xfeeefeee, a mark"),
        (0xBAADF00D, "0xbaadf00d, a mark"),
        (0xDEADC0DE, "0xdeadc0de, a mark"),
        (0xFFFF, "a small number"),
        (0x612F, "a small number"),
        (0x63622F, "the text '/bc'"),
        (0x0000800000000000, "no address of this machine"),
    ],
)
def test_what_the_bits_of_an_invalid_pointer_look_like_is_told(bits: int, words: str):
    assert words in looks_like(pointer(bits))


WRAPPED = """\
static void give(void *p) { free(p); }
int shout(char *word) {
    give(word);
    return *word;
}
"""


def test_a_function_that_only_frees_what_it_is_given_stands_for_its_caller():
    freed = [ThreadFrame("give", C, 1), ThreadFrame("shout", C, 3)]
    stacks = [Stack("READ of size 1", [ThreadFrame("shout", C, 4)]), Stack("freed by thread T0", freed)]
    report = Report("AddressSanitizer", "heap-use-after-free", "", 0x5000, "read", 1, C, 4, stacks)
    analysis = analysed(WRAPPED, [At("shout", "return *word")], signal="", report=report)
    assert blamed(analysis) == (3, "frees what is used again")
    assert 1 not in [suspect.line for suspect in analysis.suspects]


COPIED = """\
int look(const char *path) {
    char name[64];
    struct stat info;
    strcpy(name, path);
}
"""


@pytest.mark.parametrize("frame", [
    "[48, 112) 'name' (line 2)\n[144, 288) 'info' (line 3) <== Memory access at offset 112 partially underflows this",
    "[48, 112) 'name' (line 2) <== Memory access at offset 112 overflows this variable\n[144, 288) 'info' (line 3)",
])  # fmt: skip
def test_the_local_variable_that_was_overrun_is_named_and_not_its_neighbour(frame: str):
    report = Report("AddressSanitizer", "stack-buffer-overflow", "", 0x5000, "write", 200, C, 4, [], [], frame)
    analysis = analysed(COPIED, [At("look", "strcpy(name", {})], signal="", report=report)
    assert "The write of 200 bytes begins right behind the local variable `name`." in told(analysis)
    assert "`info`" not in told(analysis)


@pytest.mark.parametrize("bits", [0, 0x10000, 0x7FFFFFFFFFFF, 0xFFFF800000001000])
def test_the_bits_of_an_ordinary_address_look_like_nothing(bits: int):
    assert looks_like(pointer(bits)) == ""

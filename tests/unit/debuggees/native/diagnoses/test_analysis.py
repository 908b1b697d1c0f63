"""What the offline analyst makes of native crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.debuggees.native.diagnoses.pointers import looks_like
from dap_ai.debuggees.native.diagnoses.threads import cycle
from dap_ai.protocol.contracts.inspection import ExpressionResult, ThreadFacts, ThreadFrame, Value
from tests.unit.debuggees.native.cases import NULL, At, is_firm, line_of, pointer, stopped

FILE = "/src/shop.c"
LOOKUP = """\
struct order *find(struct order *first, int number) {
    for (struct order *o = first; o; o = o->next)
        if (o->number == number)
            return o;
    return NULL;
}
int total(struct order *order) {
    return order->price * 2;
}
int main(void) {
    struct order *wanted = find(all, 7);
    return total(wanted);
}
"""


def analysed(*arguments: object, **more: object) -> NativeAnalysis:
    found = analyse(stopped(*arguments, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


def suspected(analysis: NativeAnalysis) -> list[int]:
    return [suspect.line for suspect in analysis.suspects]


def told(analysis: NativeAnalysis) -> str:
    return " ".join(analysis.sentences)


def test_a_null_argument_is_followed_to_the_caller_and_into_the_function_that_returned_it():
    analysis = analysed(LOOKUP, [At("total", "order->price", {"order": NULL}), At("main", "total(wanted)", {"wanted": NULL})],
                        address=0x10)  # fmt: skip
    assert analysis.kind == "null dereference"
    assert set(suspected(analysis)[:3]) >= {line_of(LOOKUP, "return NULL"), line_of(LOOKUP, "find(all, 7)")}
    assert "`order` is `null`" in told(analysis)
    assert "`price`" in told(analysis)


def test_of_several_pointers_the_one_that_is_null_is_blamed():
    source = "int f(struct a *p, struct a *q) {\n    return p->x + q->x;\n}\n"
    analysis = analysed(source, [At("f", "return", {"p": pointer(0x5000), "q": NULL})], address=0)
    assert analysis.cited[0].expression == "q"


def test_what_the_inspector_found_null_is_blamed_before_other_nulls():
    source = "int f(struct a *p) {\n    return p->next->x;\n}\n"
    raised = ExpressionResult(error="raised", text="null dereference of p->next")
    values = {"p": pointer(0x5000), "p->next": NULL, "p->next->x": raised}
    assert "`p->next` is `null`" in told(analysed(source, [At("f", "return", values)], address=8))


def test_an_allocation_that_nobody_checks_is_suspected():
    source = "void f(size_t n) {\n    int *p = malloc(n);\n    p[0] = 1;\n}\n"
    analysis = analysed(source, [At("f", "p[0]", {"p": NULL, "n": 1 << 60})], address=0)
    assert suspected(analysis)[0] == 2
    assert "no memory" in analysis.suspects[0].reason


def test_a_pointer_that_was_never_set_is_uninitialised():
    source = "int f(void) {\n    struct a *p;\n    return p->x;\n}\n"
    analysis = analysed(source, [At("f", "p->x", {"p": pointer(0x7FFF12, note="not readable")})], address=0x7FFF12)
    assert analysis.kind == "uninitialised"
    assert suspected(analysis)[0] == 2


def test_a_pointer_freed_before_the_line_is_used_after_free():
    source = "int f(struct a *p) {\n    free(p);\n    return p->next->x;\n}\n"
    values = {"p": pointer(0x5000), "p->next": pointer(0xBEBEBEBEBEBEBEBE, note="not readable")}
    analysis = analysed(source, [At("f", "return", values)])
    assert analysis.kind == "use after free"
    assert suspected(analysis)[0] == 2


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0xBEBEBEBEBEBEBEBE, "not yet set"),
        (int.from_bytes(b"hello", "little"), "the text 'hello'"),
        (0x41, "small number"),
        (0x123456789ABCDEF0, "no address of this machine"),
    ],
)
def test_the_bits_of_a_wild_pointer_tell_where_they_come_from(bits: int, words: str):
    assert words in looks_like(pointer(bits))


LOOP = """\
void fill(int *marks, int count) {
    for (int i = 0; i <= count; i++)
        marks[i] = 0;
}
int main(void) {
    int marks[6];
    fill(marks, 6);
}
"""
MARKS = Value("[0, 0, 0, 0, 0, 0]", "int[6]", "array", length=6)


def test_a_loop_that_runs_one_too_far_is_the_root_cause_and_its_fix_is_shown():
    report = Report("AddressSanitizer", "stack-buffer-overflow", "", 0x5018, "write", 4, FILE, 3)
    frames = [
        At("fill", "marks[i]", {"i": 6, "count": 6, "marks": pointer(0x5000)}),
        At("main", "fill(marks", {"marks": MARKS}),
    ]
    analysis = analysed(LOOP, frames, signal="", report=report)
    assert analysis.kind == "overflow"
    assert suspected(analysis)[0] == 2
    assert "`marks` has 6 elements" in told(analysis)
    assert analysis.fix is not None
    assert analysis.fix.lines == ["    for (int i = 0; i < count; i++)"]


def test_the_size_of_an_allocation_bounds_an_index():
    source = "void f(int n) {\n    int *p = malloc(n * sizeof(int));\n    int last = n;\n    p[last] = 1;\n}\n"
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x5010, "write", 4, FILE, 4)
    analysis = analysed(
        source, [At("f", "p[last]", {"n": 4, "last": 4, "p": pointer(0x5000)})], signal="", report=report
    )
    assert "`p` has 4 elements" in told(analysis)
    assert 3 in suspected(analysis)[:2]


def test_an_index_that_a_returned_function_set_only_under_a_condition_may_be_uninitialised():
    source = """\
int best(int n) {
    int at;
    if (n > 3)
        at = n;
    return at;
}
int main(void) {
    int day = best(1);
    return days[day][0];
}
"""
    days = Value("[...]", "char *[7]", "array", length=7)
    analysis = analysed(source, [At("main", "days[day]", {"day": 32640, "days": days})], address=0x7777)
    assert suspected(analysis)[0] == 2
    assert not is_firm(analysis)


def test_room_for_the_zero_of_a_string_is_put_back_by_the_fix():
    source = "char *copy(char *s) {\n    char *p = malloc(strlen(s));\n    strcpy(p, s);\n    return p;\n}\n"
    stacks = [
        Stack("WRITE of size 6", [ThreadFrame("copy", FILE, 3)]),
        Stack("allocated by thread T0", [ThreadFrame("copy", FILE, 2)]),
    ]
    facts = ["0x5005 is located 0 bytes after 5-byte region [0x5000,0x5005)"]
    report = Report("AddressSanitizer", "heap-buffer-overflow", "", 0x5005, "write", 6, FILE, 3, stacks, facts)
    analysis = analysed(source, [At("copy", "strcpy", {"p": pointer(0x5000), "s": "hello"})], signal="", report=report)
    assert suspected(analysis)[0] == 2
    assert analysis.fix is not None
    assert "malloc(strlen(s) + 1)" in analysis.fix.lines[0]


def test_the_report_of_a_use_after_free_names_both_lines_and_what_the_memory_holds():
    source = "int f(struct t *t) {\n    free(t);\n    return t->seconds;\n}\n"
    stacks = [
        Stack("READ of size 4", [ThreadFrame("f", FILE, 3)]),
        Stack("freed by thread T0", [ThreadFrame("f", FILE, 2)]),
    ]
    report = Report("AddressSanitizer", "heap-use-after-free", "", 0x5008, "read", 4, FILE, 3, stacks)
    analysis = analysed(
        source, [At("f", "t->seconds", {"t": pointer(0x5000), "t->seconds": 905})], signal="", report=report
    )
    assert analysis.kind == "use after free"
    assert suspected(analysis)[:2] == [2, 3]
    assert "905" in told(analysis)


def test_a_double_free_that_libc_stopped_finds_the_first_free():
    source = "void f(char *name) {\n    free(name);\n    log_it();\n    free(name); // again\n}\n"
    report = Report("libc", "double free", "free(): double free detected in tcache 2")
    analysis = analysed(source, [At("f", "again", {"name": "x"})], signal="SIGABRT", report=report)
    assert analysis.kind == "double free"
    assert suspected(analysis)[:2] == [2, 4]


DEEP = """\
int depth(struct d *d) {
    if (d->parent == NULL)
        return 0;
    return 1 + depth(d->parent);
}
int main(void) {
    a.parent = &b;
    return depth(&a);
}
"""


def test_a_recursion_over_a_cycle_in_the_data_blames_who_closes_the_cycle():
    frames = [At("depth", "return 1", {"d": pointer(0x5000 + n % 2 * 16)}) for n in range(60)]
    analysis = analysed(DEEP, frames, address=0x7FFF0000)
    assert analysis.kind == "stack overflow"
    assert "60 frames" in told(analysis)
    assert "repeats every 2 calls" in told(analysis)
    assert suspected(analysis)[:2] == [line_of(DEEP, "a.parent"), line_of(DEEP, "return 1")]


def test_a_recursion_whose_argument_stays_the_same_says_so():
    source = "int f(int n) {\n    if (n == 0)\n        return 0;\n    return f(n);\n}\n"
    analysis = analysed(source, [At("f", "return f", {"n": 3}) for _ in range(60)], address=0x7FFF0000)
    assert "`n` is the same in every call that was read: `3`" in told(analysis)
    assert suspected(analysis)[0] == 4


def test_both_sides_of_a_failed_assertion_are_told_and_followed():
    source = "int main(void) {\n    int sum = 0;\n    sum = count() * 2;\n    assert(sum == limit * 20);\n}\n"
    report = Report("assert", "assertion", "sum == limit * 20", file=FILE, line=4)
    analysis = analysed(source, [At("main", "assert", {"sum": 220, "limit": 9})], signal="SIGABRT", report=report)
    assert analysis.kind == "assertion"
    assert "`sum` is `220` and `limit * 20` is `180`" in told(analysis)
    assert 3 in suspected(analysis)[:2]


def test_a_sign_that_differs_from_its_neighbour_is_suspected():
    source = """\
void give_back(struct t *t, int seats) {
    t->sold -= seats;
    t->money += seats * 20;
}
int main(void) {
    assert(t.money == 180);
}
"""
    report = Report("assert", "assertion", "t.money == 180", file=FILE, line=6)
    analysis = analysed(source, [At("main", "assert", {"t.money": 220})], signal="SIGABRT", report=report)
    assert suspected(analysis)[0] == 3
    assert not is_firm(analysis), "a transfer between two accounts looks the same"


def test_a_division_by_zero_names_the_divisor_and_follows_it():
    source = "int mean(int sum, int n) {\n    return sum / n;\n}\nint main(void) {\n    return mean(5, 0);\n}\n"
    analysis = analysed(source, [At("mean", "sum / n", {"sum": 5, "n": 0}), At("main", "mean(5")], signal="SIGFPE")
    assert analysis.kind == "division by zero"
    assert "`n` is `0`" in told(analysis)
    assert suspected(analysis)[:2] == [2, 5]


def test_the_operands_of_an_overflow_are_told():
    source = "int grow(int cents, int percent) {\n    return cents * percent;\n}\n"
    report = Report("UndefinedBehaviorSanitizer", "signed-integer-overflow",
                    "signed integer overflow: 300000000 * 8 cannot be represented in type 'int'", file=FILE, line=2)  # fmt: skip
    values = {"cents": 300000000, "percent": 8}
    analysis = analysed(source, [At("grow", "cents * percent", values)], signal="", report=report)
    assert analysis.kind == "integer overflow"
    assert "300000000" in told(analysis)
    assert {c.expression for c in analysis.cited} == {"cents", "percent"}


def test_the_last_element_of_an_empty_container_is_a_wrapped_index():
    source = "const Job &last(Queue &q) {\n    return q.jobs[q.jobs.size() - 1];\n}\n"
    jobs = Value("[]", "std::vector<Job>", "list", length=0)
    analysis = analysed(source, [At("last", "return", {"q.jobs": jobs})], path="/src/shop.cpp")
    assert "`q.jobs` is empty" in told(analysis)
    assert "18446744073709551615" in told(analysis)


def test_an_unwrap_of_none_names_what_was_none_and_where_it_came_from():
    source = "fn number(map: &Map, key: &str) -> u16 {\n    let text = map.get(key);\n    text.unwrap().parse().unwrap()\n}\n"
    report = Report("panic", "panic", "called `Option::unwrap()` on a `None` value", file="/src/main.rs", line=3)
    values = {"text": Value("None", "Option<&String>", "optional"), "key": "port"}
    analysis = analysed(source, [At("number", "unwrap", values)], signal="", report=report, path="/src/main.rs")
    assert analysis.kind == "panic"
    assert "`text` is `None`" in told(analysis)
    assert "port" in told(analysis)
    assert set(suspected(analysis)[:2]) == {2, 3}


def test_an_index_equal_to_the_length_blames_the_length():
    source = "fn last(v: &Vec<u32>) -> u32 {\n    let n = v.len();\n    v[n]\n}\n"
    report = Report(
        "panic", "panic", "index out of bounds: the len is 3 but the index is 3", file="/src/main.rs", line=3
    )
    values = {"n": 3, "v": Value("[5, 25, 45]", "Vec<u32>", "list", length=3)}
    analysis = analysed(source, [At("last", "v[n]", values)], signal="", report=report, path="/src/main.rs")
    assert suspected(analysis)[0] == 2
    assert "`v.len() - 1`" in analysis.suspects[0].reason


def test_a_missing_key_is_told_with_the_one_that_is_like_it():
    source = "double grams(const Map &map, const std::string &key) {\n    return map.at(key);\n}\n"
    report = Report("terminate", "std::out_of_range", "map::at")
    values = {"key": "Salt", "map": Value('{"flour": 1000, "salt": 20}', "Map", "dict", keys=['"flour"', '"salt"'])}
    analysis = analysed(source, [At("grams", "map.at", values)], signal="SIGABRT", report=report, path="/src/shop.cpp")
    assert "`salt`" in told(analysis)
    assert suspected(analysis)[0] == 2


def _waiting(ident: int, owner: int, file: str, line: int) -> ThreadFacts:
    frames = [ThreadFrame("transfer", file, line)]
    return ThreadFacts(
        "teller", ident, current=ident == 1, frames=frames, waiting="mutex", wants=f"0x{ident}", owner=owner
    )


def test_a_ring_of_waiting_threads_is_a_deadlock_and_the_second_lock_is_its_cause(tmp_path: Path):
    source = "void transfer(A *from, A *to) {\n    pthread_mutex_lock(&from->m);\n    pthread_mutex_lock(&to->m);\n}\n"
    file = tmp_path / "bank.c"
    file.write_text(source)
    threads = [_waiting(1, 2, str(file), 3), _waiting(2, 1, str(file), 3)]
    analysis = analysed(source, [At("transfer", "&to->m")], signal="", threads=threads, path=str(file))
    assert analysis.kind == "deadlock"
    assert suspected(analysis) == [3, 2]
    assert "`from->m`" in told(analysis)


def _stuck_at(file: Path, lines: list[int]) -> ThreadFacts:
    frames = [ThreadFrame("f", str(file), line) for line in lines]
    return ThreadFacts("main", 1, current=True, frames=frames, waiting="mutex")


def test_a_lock_that_a_caller_holds_already_is_found_without_its_owner(tmp_path: Path):
    source = """\
int left(void) {
    pthread_mutex_lock(&lock);
}
int take(void) {
    pthread_mutex_lock(&lock);
    left();
    pthread_mutex_unlock(&lock);
}
"""
    file = tmp_path / "shop.c"
    file.write_text(source)
    threads = [_stuck_at(file, [2, 6])]
    analysis = analysed(source, [At("left", "lock(&lock)")], signal="", threads=threads, path=str(file))
    assert analysis.kind == "deadlock"
    assert suspected(analysis)[:2] == [6, 5]
    assert "which it holds itself" in told(analysis)


def test_an_early_return_that_keeps_the_lock_is_found(tmp_path: Path):
    source = """\
int take(int n) {
    pthread_mutex_lock(&lock);
    if (stock < n)
        return -1;
    pthread_mutex_unlock(&lock);
    return n;
}
"""
    file = tmp_path / "shop.c"
    file.write_text(source)
    threads = [_stuck_at(file, [2])]
    analysis = analysed(source, [At("take", "lock(&lock)")], signal="", threads=threads, path=str(file))
    assert suspected(analysis)[0] == 4


AGAIN = """\
void add(void) {
    pthread_mutex_lock(&lock);
    again();
}
void again(void) {
    if (full)
        return;
    pthread_mutex_lock(&lock);
}
"""


@pytest.mark.parametrize("owner", [1, 0])
def test_a_thread_that_takes_its_own_lock_again_waits_for_itself(tmp_path: Path, owner: int):
    (file := tmp_path / "shop.c").write_text(AGAIN)
    frames = [ThreadFrame("again", str(file), 8), ThreadFrame("add", str(file), 3)]
    threads = [ThreadFacts("main", 1, current=True, frames=frames, waiting="mutex", wants="lock", owner=owner)]
    values = {"lock": 1, "&lock": pointer(0x5000)}
    analysis = analysed(AGAIN, [At("again", "mutex_lock", values)], signal="", threads=threads, path=str(file))
    links = [(link.line, link.words, link.name, link.function) for link in analysis.chain]
    assert analysis.kind == "deadlock"
    assert (8, "waits for", "lock", "again") in links
    assert ((2, "locks", "lock", "add") in links) is (owner == 0)
    assert [cited.expression for cited in analysis.cited] == ["lock"]
    assert analysis.advice == [
        "Release it before this line, call a variant that expects the lock to be held, or use a recursive mutex."
    ]


def test_the_return_that_keeps_a_lock_is_a_step_to_the_one_that_waits(tmp_path: Path):
    source = "int take(int n) {\n    pthread_mutex_lock(&lock);\n    if (n)\n        return -1;\n    pthread_mutex_unlock(&lock);\n}\n"
    (file := tmp_path / "shop.c").write_text(source)
    threads = [_stuck_at(file, [2])]
    analysis = analysed(source, [At("take", "lock(&lock)")], signal="", threads=threads, path=str(file))
    assert [(link.line, link.words, link.name) for link in analysis.chain] == [
        (4, "leaves holding", "lock"),
        (2, "waits for", "lock"),
    ]


def test_threads_that_wait_for_one_that_runs_are_no_ring():
    assert cycle([_waiting(1, 2, "", 0), ThreadFacts("worker", 2)]) == []


def test_both_accesses_of_a_data_race_are_suspects():
    source = "int counter;\nvoid add(void) {\n    counter++;\n}\nint main(void) {\n    return counter;\n}\n"
    stacks = [
        Stack("Write of size 4 by thread T1", [ThreadFrame("add", FILE, 3)]),
        Stack("Previous read of size 4 by main thread", [ThreadFrame("main", FILE, 6)]),
    ]
    report = Report("ThreadSanitizer", "data race", "data race", stacks=stacks, file=FILE, line=3)
    analysis = analysed(source, [At("add", "counter++", {"counter": 7})], signal="", report=report)
    assert analysis.kind == "data race"
    assert suspected(analysis)[:2] == [3, 6]


def test_a_plain_stop_is_no_failure():
    analysis = analysed(LOOKUP, [At("total", "order->price", {"order": pointer(0x5000)})], signal="")
    assert (analysis.kind, analysis.suspects) == ("stop", [])


def test_a_stop_without_source_is_not_analysed():
    case = stopped(LOOKUP, [At("total", "order->price")])
    case.places[0].source = None
    assert analyse(case) is None


def test_an_abort_is_told_with_the_condition_that_led_to_it():
    source = "void check(int state) {\n    if (state != 3)\n        abort();\n}\n"
    analysis = analysed(source, [At("check", "abort", {"state": 4})], signal="SIGABRT")
    assert "`state` is `4`" in told(analysis)
    assert 2 in suspected(analysis)


def test_of_two_calls_on_a_line_the_one_that_fits_the_values_is_the_caller():
    source = "int mean(int n) {\n    return 9 / n;\n}\nint main(void) {\n    return mean(3) + mean(zero);\n}\n"
    analysis = analysed(source, [At("mean", "9 / n", {"n": 0}), At("main", "mean(3)", {"zero": 0})], signal="SIGFPE")
    assert "passes `zero` for `n` of `mean`" in [suspect.reason for suspect in analysis.suspects]


def test_a_null_pointer_at_the_end_of_a_deep_recursion_is_no_stack_overflow():
    source = (
        "int sum(struct tree *t) {\n    if (t->key < 0)\n        return 0;\n    return t->key + sum(t->right);\n}\n"
    )
    inner = At("sum", "t->key < 0", {"t": NULL})
    outer = [At("sum", "return t->key", {"t": pointer(0x5000 + n * 16)}) for n in range(60)]
    analysis = analysed(source, [inner, *outer], address=0)
    assert analysis.kind == "null dereference"


def test_an_address_far_from_the_stack_is_no_stack_overflow():
    source = "int f(int n) {\n    return g[n] + f(n + 1);\n}\n"
    case = stopped(source, [At("f", "return", {"n": n}) for n in range(60)], address=0x10000000)
    case.inspection.registers = {"rsp": "0x7ffff0000000"}
    analysis = analyse(case)
    assert analysis and analysis.kind != "stack overflow"


def test_a_pointer_that_one_line_declares_and_sometimes_sets_is_uninitialised():
    source = "int f(int flag) { int *p; struct q q; if (flag) p = &q.x; return *p; }\n"
    analysis = analysed(source, [At("f", "return *p", {"p": NULL})], address=0)
    reason = analysis.suspects[0].reason
    assert reason == "declares `p` without a value, and only line 1 sets it, under a condition"


def test_a_lookup_is_not_blamed_for_what_another_call_of_the_line_threw():
    source = "int number(const std::string &key) {\n    return std::stoi(values.at(key));\n}\n"
    values = {"key": "retries", "values": Value('{"retries": "three"}', "Map", "dict", keys=['"retries"'])}
    for kind in ("std::invalid_argument", "std::out_of_range"):
        report = Report("terminate", kind, "stoi")
        found = analysed(source, [At("number", "stoi", values)], signal="SIGABRT", report=report, path="/src/shop.cpp")
        assert "does not have" not in told(found), kind


def test_of_two_conditions_on_a_line_the_inner_one_made_it_give_up():
    source = "int main(int argc) {\n    if (argc > 1) { sleep(1); if (done < 10) abort(); }\n}\n"
    analysis = analysed(source, [At("main", "abort", {"argc": 2, "done": 4})], signal="SIGABRT")
    assert "`done` is `4`" in told(analysis)
    assert "`argc`" not in told(analysis)


def test_a_condition_that_does_not_hold_the_line_is_not_blamed():
    source = "void f(int x) {\n    if (x < 0)\n        x = 0;\n    abort();\n}\n"
    assert "condition" not in told(analysed(source, [At("f", "abort", {"x": 0})], signal="SIGABRT"))


def test_an_assignment_through_an_index_is_an_assignment_to_the_member():
    source = """\
void add(struct store *s, char *title) {
    s->records[s->size].title = title;
}
size_t length(struct record *r) {
    return r->title[0];
}
"""
    analysis = analysed(source, [At("length", "r->title", {"r": pointer(0x5000), "r->title": NULL})], address=0)
    assert 2 in suspected(analysis)
    assert "assigns" not in told(analysis)


def test_the_key_that_a_lookup_missed_is_followed_and_not_the_method():
    source = "fn total(&self, names: &[&str]) {\n    let name = names[0];\n    let item = self.items.get(name).unwrap();\n}\n"
    report = Report("panic", "panic", "called `Option::unwrap()` on a `None` value")
    analysis = analysed(source, [At("total", "unwrap", {"name": "saw"})], report=report, signal="", path="/src/shop.rs")
    assert "assigns" not in told(analysis)
    assert 2 in suspected(analysis)


def test_the_words_of_an_expect_tell_what_was_none():
    source = 'fn last(&self) {\n    self.last.as_ref().expect("nothing was sold yet");\n}\n'
    report = Report("panic", "panic", "nothing was sold yet")
    analysis = analysed(source, [At("last", "expect")], report=report, signal="", path="/src/shop.rs")
    assert "`self.last.as_ref()` is `None`" in told(analysis)


def test_a_null_element_of_what_a_loop_goes_through_is_told_as_such():
    source = "double total() {\n    for (const auto &shape : shapes_)\n        sum += shape->area();\n}\n"
    analysis = analysed(source, [At("total", "shape->area", {"shape": NULL})], address=0, path="/src/shop.cpp")
    assert "`shape` is an element of `shapes_`, and is null" in [suspect.reason for suspect in analysis.suspects]


def test_a_deadlock_of_other_threads_is_told_where_one_gives_up(tmp_path: Path):
    source = "void transfer(A *from, A *to) {\n    pthread_mutex_lock(&from->m);\n    abort();\n}\n"
    file = tmp_path / "bank.c"
    file.write_text(source)
    threads = [_waiting(1, 2, str(file), 2), _waiting(2, 1, str(file), 2)]
    analysis = analysed(source, [At("watch", "abort")], signal="SIGABRT", threads=threads, path=str(file))
    assert "there is a deadlock: threads 1" in told(analysis)
    assert 2 in suspected(analysis)

"""Where the offline analyst says that a value came from."""

from __future__ import annotations

import pytest

from dap_ai.agent.case.crash_report import Report
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.answer.native_sections import root_cause
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.protocol.contracts.inspection import Field, Value
from tests.unit.debuggees.native.cases import NULL, At, line_of, pointer, stopped

CPP = "/src/shop.cpp"


def analysed(*arguments: object, **more: object) -> NativeAnalysis:
    found = analyse(stopped(*arguments, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


def blamed(analysis: NativeAnalysis) -> tuple[int, str]:
    return analysis.suspects[0].line, analysis.suspects[0].reason


def suspected(analysis: NativeAnalysis) -> list[int]:
    return [suspect.line for suspect in analysis.suspects]


TAIL = """\
Node* tail(Node* list) {
    while (list->next) {
        list = list->next.get();
    }
    return list;
}
void append(Node* list) {
    tail(list)->next = make();
}
int main() {
    std::map<std::string, Node*> byName;
    append(byName["nuts"]);
}
"""
BY_NAME = Value('{"nuts": null}', "std::map<std::string, Node *>", "dict", length=1, keys=['"nuts"'])


def test_a_loop_that_null_has_never_let_run_is_not_blamed_but_what_the_caller_passes():
    frames = [
        At("tail", "while (list->next)", {"list": NULL}),
        At("append", "tail(list)", {"list": NULL}),
        At("main", "append(byName", {"byName": BY_NAME, 'byName["nuts"]': NULL}),
    ]
    analysis = analysed(TAIL, frames, address=0x20, path=CPP)
    assert blamed(analysis) == (
        line_of(TAIL, "append(byName"),
        '`byName["nuts"]` is null: `[]` makes such an element where the key is missing',
    )
    assert line_of(TAIL, "list->next.get()") not in suspected(analysis)


SHELF = """\
class Shelf {
    Book *at(int place) { return books_[place]; }
    int pages(int place) {
        Book *book = at(place);
        return book->pages;
    }
    std::map<int, Book *> books_;
};
"""


@pytest.mark.parametrize("known", ["the source", "the object"])
def test_an_element_of_a_map_that_a_method_returns_is_made_by_its_brackets(known: str):
    source = SHELF if known == "the source" else SHELF.replace("std::map<int, Book *>", "Books")
    books = Field("books_", "{}", "std::map<int, Book *>")
    shelf = Value("0x7000", "Shelf *", "pointer", fields=[books] if known == "the object" else [])
    frames = [At("Shelf::pages", "return book->pages", {"book": NULL, "this": shelf})]
    assert blamed(analysed(source, frames, address=0x20, path=CPP)) == (
        2,
        "`books_[place]` is null: `[]` makes such an element where the key is missing",
    )


def test_an_element_of_an_array_that_a_method_returns_is_not_made_by_its_brackets():
    source = SHELF.replace("std::map<int, Book *>", "std::vector<Book *>")
    frames = [At("Shelf::pages", "return book->pages", {"book": NULL})]
    analysis = analysed(source, frames, address=0x20, path=CPP)
    assert not any("makes such" in suspect.reason for suspect in analysis.suspects)


def test_a_null_element_of_an_array_is_told_with_its_index():
    source = """\
int count(struct book *book) {
    while (book->next != NULL)
        book = book->next;
}
int main(void) {
    count(shelves[i]);
}
"""
    shelves = Value("[0x5000, null]", "struct book *[2]", "array", length=2)
    frames = [
        At("count", "while", {"book": NULL}),
        At("main", "count(shelves", {"shelves": shelves, "i": 1, "shelves[i]": NULL}),
    ]
    assert blamed(analysed(source, frames, address=8)) == (6, "`shelves[i]` is an element that is null (`i` is `1`)")


@pytest.mark.parametrize("passed", ["&first", "begin"])
def test_a_walk_past_the_end_of_a_list_is_blamed_and_not_its_beginning(passed: str):
    source = f"""\
struct node *find(struct node *list, int key) {{
    while (list->key != key)
        list = list->next;
}}
int main(void) {{
    find({passed}, 4);
}}
"""
    frames = [At("find", "while", {"list": NULL, "key": 4}), At("main", "find(", {"begin": pointer(0x5000)})]
    analysis = analysed(source, frames, address=0)
    assert blamed(analysis) == (3, "goes on to `list->next`, which is null at the end")
    assert 6 not in suspected(analysis)


def test_what_a_condition_has_found_not_null_is_no_origin_of_null():
    source = """\
void f(struct a *p, struct a *q) {
    if (q->left != NULL && q->x)
        p = q->left;
    else
        p = q->right;
    p->x = 1;
}
"""
    analysis = analysed(source, [At("f", "p->x = 1", {"p": NULL, "q": pointer(0x5000)})], address=0)
    assert 5 in suspected(analysis)
    assert 3 not in suspected(analysis)


def test_a_reference_that_the_function_sets_itself_is_not_blamed_on_the_caller():
    source = """\
void skip(Node*& list) {
    list = list->next;
    list->key = 1;
}
void f() {
    skip(head);
}
"""
    frames = [At("skip", "list->key", {"list": NULL}), At("f", "skip(head)", {"head": NULL})]
    assert suspected(analysed(source, frames, address=0, path=CPP))[0] == 2


def test_a_smart_pointer_that_was_moved_away_is_null_because_of_that():
    source = "void f() {\n    auto task = std::make_unique<Task>();\n    add(std::move(task));\n    task->run();\n}\n"
    task = Value("null", "std::unique_ptr<Task>", "smart", note="null")
    analysis = analysed(source, [At("f", "task->run", {"task": task})], address=0, path=CPP)
    assert blamed(analysis) == (3, "moves `task` away, which leaves it null")
    assert 2 not in suspected(analysis)


def test_a_plain_pointer_stays_as_it_is_when_it_is_moved():
    source = "void f(Task *task) {\n    add(std::move(task));\n    task->run();\n}\n"
    analysis = analysed(source, [At("f", "task->run", {"task": NULL})], address=0, path=CPP)
    assert not any("moves" in suspect.reason for suspect in analysis.suspects)


def test_a_line_after_the_failing_one_has_not_run_without_a_loop():
    source = "int f(struct a *p) {\n    use(p->next->x);\n    free(p);\n    p = NULL;\n}\n"
    values = {"p": pointer(0x5000), "p->next": pointer(0x6161616161616161, note="not readable")}
    analysis = analysed(source, [At("f", "use(", values)], address=0x6161616161616161)
    assert not {3, 4}.intersection(suspected(analysis))
    assert not {3, 4}.intersection(link.line for link in analysis.chain)


def test_a_line_after_the_failing_one_may_have_run_in_the_round_before():
    source = "int f(struct a *p) {\n    for (;;) {\n        use(p->x);\n        p = NULL;\n    }\n}\n"
    assert 4 in suspected(analysed(source, [At("f", "use(", {"p": NULL})], address=0))


ENDS = """\
Tariff *tariff(int hour) {
    if (hour < 7)
        return &night;
}
int main() {
    Tariff *now = tariff(23);
    use(now->price);
}
"""


def test_a_function_that_may_end_without_a_return_is_blamed_for_what_it_gave():
    now = pointer(0x17, note="not readable")
    analysis = analysed(ENDS, [At("main", "use(", {"now": now})], address=0x17, path=CPP)
    assert analysis.kind == "uninitialised"
    assert blamed(analysis)[0] == 4
    assert 3 not in suspected(analysis)


NEW = """\
struct customer *new_customer(const char *name) {
    struct customer *made = malloc(sizeof *made);
    made->name = name;
    return made;
}
int main(void) {
    struct customer *ann = new_customer("Ann");
    use(ann->referrer->city);
}
"""


def _unset(source: str) -> NativeAnalysis:
    wild = pointer(0x5A5A5A5A5A5A5A5A, note="not readable")
    values = {"ann": pointer(0x5000), "ann->referrer": wild}
    return analysed(source, [At("main", "use(", values)], address=0x5A5A5A5A5A5A5A5A)


def test_a_member_of_an_allocation_that_no_line_sets_is_uninitialised():
    analysis = _unset(NEW)
    assert analysis.kind == "uninitialised"
    assert blamed(analysis)[0] == 2
    assert "`malloc` leaves `referrer` unset" in blamed(analysis)[1]


@pytest.mark.parametrize("filled", ["*made = *pattern;", "memset(made, 0, sizeof *made);", "made->referrer = pattern;"])
def test_a_member_that_some_line_may_set_is_not_called_unset(filled: str):
    analysis = _unset(NEW.replace("made->name = name;", filled))
    assert not any("unset" in suspect.reason for suspect in analysis.suspects)


def test_a_copied_struct_shares_its_pointers_and_both_are_freed():
    source = """\
struct letter reply_to(struct letter *letter) {
    struct letter reply = *letter;
    return reply;
}
void discard(struct letter *letter) {
    free(letter->subject);
}
int main(void) {
    struct letter reply = reply_to(&first);
    discard(&first);
    discard(&reply);
}
"""
    report = Report("libc", "double free", "free(): double free detected in tcache 2")
    frames = [At("discard", "free(", {"letter->subject": "Y"}), At("main", "discard(&reply)")]
    analysis = analysed(source, frames, signal="SIGABRT", report=report)
    assert blamed(analysis) == (2, "copies `*letter`: both then hold the same pointers")
    assert "`discard` has run before" in " ".join(analysis.sentences)
    assert 10 in suspected(analysis)


def test_the_last_expression_of_a_rust_function_is_what_it_returns():
    source = """\
fn seat_number(ticket: &str) -> usize {
    let digits = ticket.trim();
    digits.parse().unwrap_or(0)
}
fn guest(row: &Row, ticket: &str) {
    let seat = seat_number(ticket);
    row.names[seat];
}
"""
    report = Report("panic", "panic", "index out of bounds: the len is 3 but the index is 20")
    names = Value('["Ada"]', "Vec<String>", "list", length=3)
    values = {"seat": 20, "row.names": names}
    analysis = analysed(source, [At("guest", "row.names", values)], signal="", report=report, path="/src/shop.rs")
    assert {2, 3, 6} <= set(suspected(analysis))


def test_a_loop_of_the_caller_that_runs_one_too_far_is_blamed():
    source = """\
double cell(const std::vector<double> &rows, size_t row) {
    return rows.at(row);
}
double sum(const std::vector<double> &rows) {
    for (size_t row = 0; row <= rows.size(); ++row)
        cell(rows, row);
}
"""
    report = Report(
        "terminate", "std::out_of_range", "vector::_M_range_check: __n (which is 3) >= this->size() (which is 3)"
    )
    rows = Value("[1, 3, 5]", "std::vector<double>", "list", length=3)
    values = {"row": 3, "rows": rows}
    frames = [At("cell", "rows.at", values), At("sum", "cell(rows, row)", values)]
    analysis = analysed(source, frames, signal="SIGABRT", report=report, path=CPP)
    assert blamed(analysis) == (5, "the loop lets `row` become 3: `<=` where `<` fits")


def test_what_a_call_gave_is_followed_where_the_line_leads_nowhere_through_it():
    source = """\
double *cell(struct grid *g, int row) {
    return &g->cells[row];
}
int main(void) {
    *cell(g, 9) = 1;
}
"""
    analysis = analysed(source, [At("main", "*cell(g, 9)", {"g": pointer(0x5000)})], address=0x7FFFF7E1F810)
    assert suspected(analysis)[:2] == [5, 2]
    assert "The line follows what `cell(g, 9)` returns." in analysis.sentences


def test_a_step_to_what_is_not_null_now_is_not_told_as_the_end_of_a_list():
    source = "int least(struct tree *at) {\n    while (at->left->key < at->key)\n        at = at->left;\n}\n"
    values = {"at": pointer(0x5000), "at->left": NULL}
    analysis = analysed(source, [At("least", "while", values)], address=0)
    assert not any("at the end" in suspect.reason for suspect in analysis.suspects)


def test_of_nested_calls_the_one_that_is_given_the_null_pointer_is_told():
    source = 'void f(char *whole) {\n    printf("%zu", strlen(whole));\n}\n'
    analysis = analysed(source, [At("f", "strlen", {"whole": NULL})], address=0)
    assert "passes it to `strlen`" in " ".join(analysis.sentences)


def test_a_get_without_arguments_is_no_lookup_that_found_nothing():
    source = "void f(Owner& owner) {\n    Node* node = owner.first.get();\n    node->run();\n}\n"
    analysis = analysed(source, [At("f", "node->run", {"node": NULL})], address=0, path=CPP)
    assert suspected(analysis)[0] in (2, 3)
    assert not any("no such entry" in suspect.reason for suspect in analysis.suspects)


DRAINED = """\
int last(struct cell *pool) {
    struct cell *head = malloc(sizeof(struct cell));
    pool->next = 0;
    head->next = pool;
    for (int i = 0; i < 3; i++) {
        struct cell *rest = head->next;
        free(head);
        head = rest;
    }
    return head->value;
}
"""


def test_of_several_lines_that_may_have_given_a_null_an_allocation_is_never_told_as_the_cause():
    frames = [At("last", "*rest = head->next", {"head": NULL})]
    assert line_of(DRAINED, "malloc") not in suspected(analysed(DRAINED, frames, address=0x8)), "it was stored through"
    analysis = analysed(DRAINED.replace("head->next = pool;", "fill(pool);"), frames, address=0x8)
    malloc = next(s for s in analysis.suspects if s.line == line_of(DRAINED, "malloc"))
    assert malloc.score < 0.6
    assert malloc is not analysis.suspects[0]
    assert "no memory" not in malloc.reason


RULES = """\
static const struct rule *rule_named(const char *name) {
    for (int i = 0; i < 2; i++)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    return 0;
}
int main(void) {
    const struct rule *rule = 0;
    rule = rule_named("old");
    return rule->pattern[0];
}
"""


def test_no_line_is_blamed_for_a_null_that_the_pointer_does_not_hold():
    values = {"rule": pointer(0x4010), "rule->pattern": NULL}
    analysis = analysed(RULES, [At("main", "return rule->pattern", values)], address=0)
    assert line_of(RULES, "return 0;") not in suspected(analysis)
    assert line_of(RULES, "rule = 0;") not in suspected(analysis)
    assert "returns `0`" not in root_cause(analysis)[0].text
    assert "**Root cause.**" not in root_cause(analysis)[0].text


def test_a_null_argument_is_not_blamed_for_a_parameter_that_holds_a_pointer():
    source = "int use(struct order *o) {\n    return o->next->id;\n}\nint main(void) {\n    return use(NULL);\n}\n"
    values = {"o": pointer(0x4010), "o->next": NULL}
    analysis = analysed(source, [At("use", "return o", values), At("main", "use(NULL)")], address=0)
    assert line_of(source, "use(NULL)") not in suspected(analysis)


def test_a_line_whose_null_nobody_could_read_is_only_a_guess():
    source = (
        "struct order *find(int n) {\n    struct order *found = NULL;\n    return found;\n}\n"
        "int main(void) {\n    struct order *o = find(3);\n    return o->id;\n}\n"
    )
    analysis = analysed(source, [At("main", "return o->id", {"o": NULL})], address=0)
    inner = next(s for s in analysis.suspects if s.line == line_of(source, "found = NULL"))
    assert inner.score < 0.6

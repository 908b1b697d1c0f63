"""Programs that end themselves: assertions, panics and exceptions."""

from __future__ import annotations

from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import CPP, RUST, Story, assertion, panic, thrown

NO, YES = Value("false", "bool", "bool"), Value("true", "bool", "bool")
NONE = Value("None", "Option<u8>", "none")

STORIES = [
    Story(
        "the part of an assertion that does not hold is told",
        """\
int f(int a, int b) {
    b = 9;  // 1
    assert(a > 0 && (b < 5 && a < 9));  // 2
}
""",
        [At("f", "assert", {"a": 3, "b": 9, "b < 5 && a < 9": NO, "b < 5": NO, "a > 0": YES})],
        kind="assertion",
        steps=["2 sets b"],
        states=["b 9 5"],
        cited=["b"],
        advice=["b"],
        stop={"signal": "SIGABRT", "report": assertion("a > 0 && (b < 5 && a < 9)")},
    ),
    Story(
        "an assertion of a call is told with the call's names",
        """\
int f(struct s *s, int n) {
    assert(fits(s, n));  // 1
}
""",
        [At("f", "assert", {"s": pointer(0x5000), "n": 9})],
        kind="assertion",
        firm=False,
        states=["n 9"],
        cited=["n"],
        advice=["n"],
        stop={"signal": "SIGABRT", "report": assertion("fits(s, n)")},
    ),
    Story(
        "an assertion of a macro that nobody knows is told in the report's words",
        """\
int f(int n) {
    CHECK_ALL;  // 1
}
""",
        [At("f", "CHECK_ALL")],
        kind="assertion",
        firm=False,
        states=["CHECK_ALL"],
        advice=["CHECK_ALL"],
        stop={"signal": "SIGABRT", "report": assertion("n > 0")},
    ),
    Story(
        "two members that are changed with opposite signs are a guess",
        """\
void give_back(struct t *t, int seats) {
    t->money += seats * 20;  // 1
    t->count += 1;
    t->sold -= seats;
}
int main(void) {
    assert(t.money == 180);  // 2
}
""",
        [At("main", "assert", {"t.money": 220})],
        kind="assertion",
        firm=False,
        steps=["2 sets t->money"],
        states=["t.money 220 180"],
        cited=["t.money"],
        advice=["t.money"],
        stop={"signal": "SIGABRT", "report": assertion("t.money == 180")},
    ),
    Story(
        "an Err that was unwrapped is followed to the call that gave it",
        """\
fn read(text: &str) -> Result<u32, E> {
    text.parse()
}
fn main() {
    let n = read("x").unwrap();  // 1
}
""",
        [At("main", "unwrap")],
        kind="panic",
        states=['read("x") Err(ParseIntError { kind: InvalidDigit }) unwrap expect'],
        advice=['read("x") Err(ParseIntError { kind: InvalidDigit }) match ok_or(...)? unwrap_or(...)'],
        stop={
            "path": RUST,
            "signal": "",
            "report": panic("called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }"),
        },
    ),
    Story(
        "the words of an expect tell the Err that it found",
        """\
fn main(text: &str) {
    let n = text.trim().parse().expect("no number");  // 1
}
""",
        [At("main", "expect", {"text": "x"})],
        kind="panic",
        states=["text.trim().parse() Err(ParseIntError { kind: InvalidDigit }) unwrap expect", 'text "x"'],
        cited=["text"],
        advice=["text.trim().parse() Err(ParseIntError { kind: InvalidDigit }) match ok_or(...)? unwrap_or(...)"],
        stop={"path": RUST, "signal": "", "report": panic("no number: ParseIntError { kind: InvalidDigit }")},
    ),
    Story(
        "of two unwraps the one of what is None is told",
        """\
fn main(a: Option<u8>, b: Option<u8>) {
    add(a.unwrap(), b.unwrap());  // 1
}
""",
        [At("main", "unwrap", {"a": NONE, "b": Value("Some(3)", "Option<u8>", "optional")})],
        kind="panic",
        states=["a None unwrap expect", "b Some(3)"],
        cited=["a", "b"],
        advice=["a None match ok_or(...)? unwrap_or(...)"],
        stop={"path": RUST, "signal": "", "report": panic("called `Option::unwrap()` on a `None` value")},
    ),
    Story(
        "a None without an unwrap on the line is told as it is",
        """\
fn main() {
    step();  // 1
}
""",
        [At("main", "step")],
        kind="panic",
        firm=False,
        states=["None"],
        stop={"path": RUST, "signal": "", "report": panic("called `Option::unwrap()` on a `None` value")},
    ),
    Story(
        "a RefCell that is borrowed already was borrowed further out",
        """\
fn add(shop: &Shop) {
    shop.items.borrow_mut().push(3);  // 2
}
fn total(shop: &Shop) {
    let items = shop.items.borrow();  // 1
    let n = items.len();
    add(shop);
    let more = shop.items.borrow();
}
""",
        [At("add", "borrow_mut"), At("total", "add(shop)")],
        kind="panic",
        steps=["5 borrows"],
        states=["RefCell"],
        advice=[""],
        stop={"path": RUST, "signal": "", "report": panic("already borrowed: BorrowMutError")},
    ),
    Story(
        "a panic of the program itself is told with the condition above it",
        """\
fn check(state: i32, other: i32) {
    let state = other + 1;  // 1
    if state > 3 {  // 2
        panic!("bad state");  // 3
    }
}
""",
        [At("check", "panic!", {"state": 4, "other": 3})],
        kind="panic",
        steps=["2 sets state"],
        states=["", "shop.rs:3 state 4"],
        cited=["state", "other"],
        stop={"path": RUST, "signal": "", "report": panic("bad state")},
    ),
    Story(
        "a panic without a condition is told with the names on its line",
        """\
fn check(a: i32, b: i32, c: i32, d: i32, e: i32) {
    fail(a, b, c, d, e);  // 2
}
fn main() {
    check(1, 2, 3, 4, 5);  // 1
}
""",
        [At("check", "fail(", {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}), At("main", "check(1")],
        kind="panic",
        steps=["5 passes `1` for a", "5 passes `2` for b", "5 passes `3` for c", "5 passes `4` for d"],
        states=[""],
        cited=["a", "b", "c", "d"],
        stop={"path": RUST, "signal": "", "report": panic("bad")},
    ),
    Story(
        "a list that is indexed at its length is told with its last index",
        """\
int f(const std::vector<int> &all) {
    int n = all.size();  // 1
    return all.at(n);  // 2
}
""",
        [At("f", "all.at", {"n": 3, "all": Value("[1, 2, 3]", "std::vector<int>", "list", length=3)})],
        kind="crash",
        steps=["2 sets n"],
        states=["all.at(n) n 3 all", "all"],
        cited=["n", "all"],
        advice=[""],
        stop={"path": CPP, "signal": "SIGABRT", "report": thrown("std::out_of_range", "no such element")},
    ),
    Story(
        "a literal index behind the end of a string is told with both numbers",
        """\
std::string f(const std::string &path) {
    return path.substr(10);  // 1
}
void g() {
    f("notes.txt");  // 2
}
""",
        [At("f", "path.substr", {"path": "notes.txt"}), At("g", 'f("notes')],
        kind="crash",
        steps=['5 passes `"notes.txt"` for path'],
        states=["substr path"],
        cited=["path"],
        advice=[""],
        stop={
            "path": CPP,
            "signal": "SIGABRT",
            "report": thrown(
                "std::out_of_range", "basic_string::substr: __pos (which is 10) > this->size() (which is 9)"
            ),
        },
    ),
    Story(
        "a key that is computed is followed to the numbers in it",
        """\
int f(const Map &all, int n) {
    int by = 2;  // 2
    return all.at(n + by);  // 1
}
void g() {
    f(all, 3);  // 3
}
""",
        [
            At("f", "all.at", {"n": 3, "by": 2, "n + by": 5, "all": Value("{1: 2}", "Map", "dict", keys=["1"])}),
            At("g", "f(all, 3)", {}),
        ],
        kind="crash",
        firm=False,
        steps=["6 passes `3` for n", "2 sets by"],
        states=["all.at(n + by) n + by 5 all", "{1: 2}"],
        cited=["n + by", "all", "n", "by"],
        advice=[""],
        stop={"path": CPP, "signal": "SIGABRT", "report": thrown("std::out_of_range", "map::at")},
    ),
    Story(
        "a name that no key is like is told without a likeness",
        """\
int f(const Map &all, const char *name) {
    return all.at(name);  // 1
}
""",
        [At("f", "all.at", {"name": "salt", "all": Value('{"flour": 2}', "Map", "dict")})],
        kind="crash",
        firm=False,
        states=['all.at(name) name "salt" all', '{"flour": 2}'],
        cited=["name", "all"],
        advice=[""],
        stop={"path": CPP, "signal": "SIGABRT", "report": thrown("std::out_of_range", "map::at")},
    ),
    Story(
        "an exception that the program throws is told with the values on the line",
        """\
void f(int a, int b, int c, int d, int e) {
    b = count();  // 2
    check(a, b, c, d, e);  // 1
}
""",
        [At("f", "check(", {"a": 1, "b": 2, "c": 3, "e": 5})],
        kind="crash",
        firm=False,
        steps=["2 sets b"],
        states=["a 1", "b 2", "c 3"],
        cited=["a", "b", "c"],
        advice=[""],
        stop={"path": CPP, "signal": "SIGABRT", "report": thrown("Bad", "bad")},
    ),
    Story(
        "a key that a map of Rust does not have is told, and the line that assumes it",
        """\
fn price(prices: &Map, name: &str) -> u32 {
    prices[name]  // 1
}
""",
        [
            At(
                "price",
                "prices[name]",
                {"name": "nail", "prices": Value('{"screw": 3}', "HashMap<&str, u32>", "dict", length=1)},
            )
        ],
        kind="panic",
        states=['prices[name] name "nail" prices', '{"screw": 3}'],
        cited=["name", "prices"],
        advice=[".get(key) Option"],
        stop={"path": RUST, "signal": "", "report": panic("no entry found for key")},
    ),
]

"""Programs of C++ and Rust whose null came from another line."""

from __future__ import annotations

from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import NULL, At
from tests.unit.debuggees.native.stories import CPP, RUST, Story, panic

SMART = Value("null", "std::unique_ptr<T>", "smart", note="null")

STORIES = [
    Story(
        "a call on the object that is null is followed to the line that set it",
        """\
int Shop::total() {
    return count_;  // 2
}
int main() {
    Shop *shop = nullptr;  // 1
    return shop->total();  // 3
}
""",
        [At("Shop::total", "count_", {"this": NULL}), At("main", "shop->total", {"shop": NULL})],
        steps=["6 passes `shop` for this", "5 sets shop"],
        stop={"path": CPP},
    ),
    Story(
        "a smart pointer that was reset is null because of that",
        """\
void f() {
    auto task = make();  // 3
    task.reset();  // 1
    task->run();  // 2
}
""",
        [At("f", "task->run", {"task": SMART})],
        steps=["3 changes task", "2 sets task"],
        stop={"path": CPP},
    ),
    Story(
        "a smart pointer that was reset to another is a guess",
        """\
void f() {
    auto task = make();  // 3
    task.reset(other);  // 1
    task->run();  // 2
}
""",
        [At("f", "task->run", {"task": SMART})],
        firm=False,
        steps=["3 changes task", "2 sets task"],
        stop={"path": CPP},
    ),
    Story(
        "a null element of what a loop goes through is the cause",
        """\
int f(std::vector<T *> all) {
    for (T *each : all)  // 1
        sum += each->n;  // 2
}
int main() {
    f(list());
}
""",
        [At("f", "each->n", {"each": NULL}), At("main", "f(list")],
        steps=["2 steps each"],
        stop={"path": CPP},
    ),
    Story(
        "an element that the brackets of a map make is the cause",
        """\
int f(int i) {
    return all[i]->x;  // 1
}
""",
        [At("f", "all[i]->x", {"all": Value("{}", "std::map<int, T *>", "dict"), "i": 2, "all[i]": NULL})],
        stop={"path": CPP},
    ),
    Story(
        "what new gives is never null",
        """\
int f(int n) {
    T *p = new T();
    if (n)
        p = find();  // 1
    return p->x;  // 2
}
""",
        [At("f", "p->x", {"p": NULL})],
        steps=["4 sets p"],
        stop={"path": CPP},
    ),
    Story(
        "a pointer that a smart pointer holds is followed to its owner's member",
        """\
int f(Owner &o) {
    T *p = o.first.get();  // 2
    return p->x;  // 3
}
void g(Owner &o) {
    o.first = nullptr;  // 1
}
""",
        [At("f", "p->x", {"p": NULL, "o.first": SMART})],
        firm=False,
        steps=["2 sets p", "6 sets o.first"],
        stop={"path": CPP},
    ),
    Story(
        "a reference that is followed from its caller's null is no line that would have failed",
        """\
void skip(Node *&list) {
    list = list->next;  // 1
    list->key = 1;  // 2
}
void f() {
    Node *head = nullptr;
    skip(head);
}
""",
        [At("skip", "list->key", {"list": NULL}), At("f", "skip(head)", {"head": NULL})],
        steps=["2 sets list"],
        stop={"path": CPP},
    ),
    Story(
        "a parameter that the caller gives as null cannot have been followed before",
        """\
void skip(Node *list) {
    if (found)
        list = list->next;
    list->key = 1;  // 2
}
void f() {
    Node *head = nullptr;  // 1
    skip(head);  // 3
}
""",
        [At("skip", "list->key", {"list": NULL}), At("f", "skip(head)", {"head": NULL})],
        steps=["8 passes `head` for list", "7 sets head"],
        stop={"path": CPP},
    ),
    Story(
        "a None of Rust is followed to the function that returns it",
        """\
fn find(v: &[i32], n: i32) -> Option<i32> {
    if n > 3 {
        return None;  // 3
    }
    v.first().copied()
}
fn main() {
    let x = find(&v, 7);  // 1
    x.unwrap();  // 2
}
""",
        [At("main", "x.unwrap", {"x": Value("None", "Option<i32>", "none")})],
        kind="panic",
        firm=False,
        steps=["8 sets x", "3 returns None"],
        stop={"path": RUST, "signal": "", "report": panic("called `Option::unwrap()` on a `None` value")},
    ),
]

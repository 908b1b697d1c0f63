"""Programs that follow a null or an invalid pointer, and what belongs to no other family."""

from __future__ import annotations

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.protocol.contracts.inspection import ExpressionResult, ThreadFrame, Value
from tests.unit.debuggees.native.cases import NULL, At, pointer
from tests.unit.debuggees.native.stories import CPP, C, Story, chars, ubsan

EMPTY = Value("[]", "std::vector<int>", "list", length=0)
FAR = pointer(0x7F0000001010, note="not readable")

STORIES = [
    Story(
        "a null that is passed to a function of a library is told with where that failed",
        """\
int f(const char *name, int n) {
    char *where = strchr(name, '=');  // 1
    return n + strlen(where);  // 2
}
""",
        [At("f", "strlen(where)", {"name": "abc", "n": 3, "where": NULL})],
        steps=["2 sets where"],
        states=["where null strlen 0x0", "strchr(name, '=') name \"abc\""],
        cited=["where", "name", "n"],
        advice=["where"],
    ),
    Story(
        "an object that is null is followed to the call on it",
        """\
int Shop::total(int n) {
    return count_;  // 2
}
int main() {
    Shop *shop = find("x");  // 1
    return shop->total(3);  // 3
}
""",
        [At("Shop::total", "count_", {"this": NULL, "n": 3}), At("main", "shop->total", {"shop": NULL})],
        steps=["6 passes `shop` for this", "5 sets shop"],
        states=["this null 0x8"],
        cited=["this", "n", "shop"],
        advice=["this"],
        stop={"path": CPP, "address": 8},
    ),
    Story(
        "a null subscript that leads far away is found by its index",
        """\
int f(int *all, long at) {
    return all[at];  // 2
}
void g(void) {
    f(NULL, 50000000);  // 1
}
""",
        [At("f", "all[at]", {"all": NULL, "at": 50000000}), At("g", "f(NULL")],
        steps=["5 passes `NULL` for all"],
        states=["all null all[at] 0xbebc200"],
        cited=["all", "at"],
        advice=["all"],
        stop={"address": 200000000},
    ),
    Story(
        "a null that its index does not lead to the address from is not the cause",
        """\
int f(int *all, long at) {
    return all[at] + far->x;  // 1
}
""",
        [At("f", "all[at]", {"all": NULL, "at": 3, "far": pointer(0x7000000, note="not readable")})],
        kind="crash",
        firm=False,
        states=["far 0x7000000 (not readable)"],
        cited=["far"],
        advice=["-fsanitize=address far"],
        stop={"address": 0x7000008},
    ),
    Story(
        "a name that the lookup did not find is told with the one that is like it",
        """\
int f(const Map &prices, const std::string &name) {
    const Price *price = prices.find(name);  // 1
    return price->cents;  // 2
}
""",
        [
            At(
                "f",
                "price->cents",
                {
                    "price": NULL,
                    "name": Value('"screws"', "std::string", "str"),
                    "prices": Value('{"screw": 3, "nail": 4}', "Map", "dict"),
                },
            )
        ],
        steps=["2 sets price"],
        states=["price null cents 0x0", 'prices.find(name) name "screws"', "prices 'screw'"],
        cited=["price", "prices", "name"],
        advice=["prices 'screw'", "price"],
        stop={"path": CPP},
    ),
    Story(
        "what was passed to a lookup is told only where it is short",
        """\
int f(const char *name, int n) {
    struct price *price = find(name, n);  // 1
    return price->cents;  // 2
}
""",
        [At("f", "price->cents", {"price": NULL, "name": "a name of more than thirty characters", "n": 7})],
        steps=["2 sets price"],
        states=["price null cents 0x0", "find(name, n) n 7"],
        cited=["price", "name", "n"],
        advice=["price"],
    ),
    Story(
        "a call through an invalid function pointer is told with its value",
        """\
void f(struct op *op) {
    op->run(3);  // 1
}
""",
        [
            At(
                "f",
                "op->run",
                {"op": pointer(0x5000), "op->run": Value("0x00000000deadbeef", "void (*)(int)", "function")},
            )
        ],
        kind="crash",
        firm=False,
        states=["op->run 0x00000000deadbeef"],
        cited=["op->run", "op"],
        advice=["-fsanitize=address op->run"],
        stop={"address": 0xDEADBEEF},
    ),
    Story(
        "of two pointers on a line the one that leads to the address is told",
        """\
int f(struct a *p, struct a *q) {
    return p->x + q->x;  // 1
}
""",
        [At("f", "p->x", {"p": pointer(0x5000), "q": pointer(0x7000000)})],
        kind="crash",
        firm=False,
        states=["q 0x7000000"],
        cited=["q"],
        advice=["-fsanitize=address q"],
        stop={"address": 0x7000008},
    ),
    Story(
        "a pointer that nothing has set before the line is uninitialised",
        """\
int f(void) {
    struct a *p;  // 1
    int n = p->x;  // 2
    p = make();
}
""",
        [At("f", "n = p->x", {"p": FAR})],
        kind="uninitialised",
        steps=["2 declares, without a value, p"],
        states=["p 0x7f0000001010 (not readable)", "p"],
        cited=["p"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "a string that overran its neighbour is told with each copy that may have",
        """\
void rename(struct user *u, char *name) {
    strcpy(u->name, name);
}
void label(struct user *u, char *name) {
    strcat(u->label, name);  // 1
}
int f(struct user *u) {
    return u->next->id;  // 2
}
""",
        [
            At(
                "f",
                "u->next->id",
                {
                    "u": pointer(0x5000),
                    "u->next": pointer(0x646C726F77, note="not readable"),
                    "u->name": chars("abc", 8),
                    "u->label": chars("abcdefgh", 8),
                },
            )
        ],
        kind="crash",
        states=["u->next 0x646c726f77 (not readable)"],
        cited=["u->next", "u"],
        advice=["-fsanitize=address u->next"],
        stop={"address": 0x646C726F77},
    ),
    Story(
        "memory that memory sanitizer found unset is told with where it was made",
        """\
int make(void) {
    int *all = malloc(8);  // 2
    int n;  // 1
    if (n > all[0])  // 3
        return 1;
}
""",
        [At("make", "if (n", {"n": 7})],
        kind="uninitialised",
        steps=["3 declares, without a value, n"],
        states=["", "n 7"],
        cited=["n"],
        advice=[""],
        stop={
            "signal": "",
            "report": Report(
                "MemorySanitizer",
                "use-of-uninitialized-value",
                "",
                stacks=[
                    Stack("", [ThreadFrame("make", C, 4)]),
                    Stack("Uninitialized value was created by a heap allocation", [ThreadFrame("make", C, 2)]),
                ],
            ),
        },
    ),
    Story(
        "memory that is never freed is told with where it was allocated",
        """\
char *make(void) {
    return malloc(8);  // 1
}
int main(void) {
    make();  // 2
}
""",
        [At("main", "make();")],
        kind="leak",
        states=["", "shop.c:2 make return malloc(8);"],
        advice=[""],
        stop={
            "signal": "",
            "report": Report(
                "LeakSanitizer",
                "leak",
                "detected memory leaks",
                stacks=[
                    Stack("Direct leak of 8 bytes", [ThreadFrame("make", C, 2)]),
                    Stack("Indirect leak of 8 bytes", [ThreadFrame("other", "/src/gone.c", 2)]),
                ],
            ),
        },
    ),
    Story(
        "any other report is told in its words, with a null pointer on the line",
        """\
int f(struct a *p) {
    return p->x;  // 2
}
void g(void) {
    f(NULL);  // 1
}
""",
        [At("f", "p->x", {"p": NULL}), At("g", "f(NULL)")],
        steps=["5 passes `NULL` for p"],
        states=["", "p null"],
        cited=["p"],
        stop={"signal": "", "report": ubsan("null-pointer-use", "Member access within null pointer")},
    ),
    Story(
        "an address that is misaligned is told with the pointer that leads there",
        """\
int f(long *p) {
    return *p;  // 1
}
""",
        [At("f", "return *p", {"p": pointer(0x5001)})],
        kind="crash",
        firm=False,
        states=["", "0x9001"],
        cited=["p"],
        stop={"signal": "SIGBUS", "address": 0x9001},
    ),
    Story(
        "an instruction that is not supported is told as that",
        """\
int f(int n) {
    __builtin_unreachable();  // 1
}
""",
        [At("f", "__builtin", {"n": 3})],
        kind="crash",
        firm=False,
        states=["__builtin_unreachable"],
        stop={"signal": "SIGILL", "address": None},
    ),
    Story(
        "at a plain stop what is empty and what is null is told",
        """\
int f(Queue &q, Order *o) {
    return q.jobs.first(o->price);
}
""",
        [At("f", "q.jobs", {"q": Value("{}", "Queue", "struct"), "o": NULL, "q.jobs": EMPTY})],
        kind="stop",
        states=["q.jobs []", "o null"],
        cited=["q", "o", "q.jobs"],
        stop={"path": CPP, "signal": "", "address": None},
    ),
    Story(
        "an address that a call of the program gives is followed into it",
        """\
int *cell(int row) {
    return &table[row];  // 2
}
int main(void) {
    *cell(9) = 1;  // 1
}
""",
        [At("main", "*cell(9)")],
        kind="crash",
        firm=False,
        steps=["2 returns &table[row]"],
        states=["0x7ffff7e1f810", "cell(9)"],
        stop={"address": 0x7FFFF7E1F810},
    ),
    Story(
        "a size that is negative is told of a call of a library",
        """\
void f(char *to, char *from, int n) {
    int rest = n - 9;  // 1
    copy(to, from, rest);  // 2
}
""",
        [At("f", "copy(to", {"to": pointer(0x5000), "from": pointer(0x6000), "n": 3, "rest": -6})],
        kind="crash",
        steps=["2 sets rest"],
        states=["0x70000000", "rest -6"],
        cited=["rest", "n", "to", "from"],
        stop={"address": 0x70000000},
    ),
    Story(
        "what the inspector found null is told before another null",
        """\
int f(struct a *p, struct a *q) {
    return q->x + p->next->x;  // 1
}
""",
        [
            At(
                "f",
                "return q",
                {
                    "p": pointer(0x5000),
                    "q": NULL,
                    "p->next": NULL,
                    "p->next->x": ExpressionResult(error="raised", text="null dereference of p->next"),
                },
            )
        ],
        firm=False,
        states=["p->next null x 0x0", "next"],
        cited=["p->next", "p", "q"],
        advice=["p->next"],
    ),
]

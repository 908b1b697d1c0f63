"""Programs that use or free memory that was freed."""

from __future__ import annotations

from dap_ai.agent.case.crash_report import Report
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import CPP, Story, asan

FAR = pointer(0x7F0000001010, note="not readable")
WILD = pointer(0x41, note="not readable")
TWICE = Report("libc", "double free", "free(): double free detected in tcache 2")

STORIES = [
    Story(
        "what freed memory holds is told, and who freed and who allocated it is suspected",
        """\
struct node *make(void) {
    struct node *fresh = malloc(16);  // 3
    return fresh;
}
void f(struct node *n) {
    for (; n->key != 3; n = n->next)  // 2
        drop(n);  // 1
}
void drop(struct node *each) {
    free(each);
}
""",
        [At("f", "for (", {"n": pointer(0x5000), "n->key": 7, "n->next": pointer(0x6000), "n->next->key": 9})],
        kind="use after free",
        steps=["7 frees n", "2 allocates"],
        states=[
            "0x5008",
            "n 0x5000",
            "n->key 7 n->next 0x6000",
            "shop.c:7 f drop(n);",
            "shop.c:2 make struct node *fresh = malloc(16);",
            "",
        ],
        cited=["n", "n->key", "n->next"],
        advice=["shop.c:7"],
        stop={
            "signal": "",
            "report": asan(
                "heap-use-after-free",
                6,
                ("READ of size 4 at 0x5008 thread T0", [("f", 6)]),
                ("freed by thread T0", [("drop", 10), ("f", 7)]),
                ("previously allocated by thread T0", [("make", 2)]),
            ),
        },
    ),
    Story(
        "a free that the next statement follows is the cause",
        """\
void f(struct node *n, struct node *other) {
    free(other->next);  // 1
    note();
    use(other->key, n->key);  // 2
}
""",
        [At("f", "use(", {"n": pointer(0x5000), "n->key": 7, "other": pointer(0x9000)})],
        kind="use after free",
        steps=["2 frees other->next"],
        states=["0x5008", "n 0x5000", "n->key 7", "shop.c:2 f free(other->next);"],
        cited=["n", "n->key"],
        advice=["n"],
        stop={
            "signal": "",
            "report": asan(
                "heap-use-after-free", 4, ("READ of size 4", [("f", 4)]), ("freed by thread T0", [("f", 2)])
            ),
        },
    ),
    Story(
        "memory of a block that has ended is told as that",
        """\
int *f(void) {
    int *p;
    { int n = 3; p = &n; }
    return *p;  // 1
}
""",
        [At("f", "return *p", {"p": pointer(0x5008)})],
        kind="use after free",
        states=["0x5008", "p 0x5008"],
        cited=["p"],
        advice=["p"],
        stop={"signal": "", "report": asan("stack-use-after-scope", 4)},
    ),
    Story(
        "memory that is freed twice is told with both lines and the allocation",
        """\
void f(void) {
    char *p = malloc(8);  // 3
    free(p);  // 1
    delete[] p;  // 2
}
""",
        [At("f", "delete[]", {"p": pointer(0x5008)})],
        kind="double free",
        steps=["3 frees p", "2 allocates"],
        states=["p", "shop.cpp:3 f free(p);", "shop.cpp:2 f char *p = malloc(8);"],
        advice=[""],
        stop={
            "path": CPP,
            "signal": "",
            "report": asan(
                "attempting double-free",
                4,
                ("freed by thread T0", [("f", 3)]),
                ("previously allocated by thread T0", [("f", 2)]),
                path=CPP,
                access="",
                size=0,
            ),
        },
    ),
    Story(
        "memory that is freed twice under another name is found by what the name was set to",
        """\
void f(char *text) {
    char *copy = text;
    free(text);  // 1
    free(copy);  // 2
}
""",
        [At("f", "free(copy)", {"copy": pointer(0x5008), "text": pointer(0x5008)})],
        kind="double free",
        steps=["3 frees text"],
        states=["copy", "shop.c:3 f free(text);"],
        advice=["", "-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": TWICE},
    ),
    Story(
        "a bad free is told with the pointer, and where it shows is a guess",
        """\
void f(char *text) {
    text++;
    free(text);  // 1
}
""",
        [At("f", "free(text)", {"text": pointer(0x5001)})],
        kind="crash",
        firm=False,
        states=["free(): invalid pointer", "text 0x5001"],
        cited=["text"],
        advice=["-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": Report("libc", "invalid free", "free(): invalid pointer")},
    ),
    Story(
        "a heap that was corrupted is told without a pointer",
        """\
void f(void) {
    char *text = malloc(8);  // 1
}
""",
        [At("f", "malloc(8)")],
        kind="crash",
        firm=False,
        states=["malloc(): corrupted top size"],
        advice=["-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": Report("libc", "heap corruption", "malloc(): corrupted top size")},
    ),
    Story(
        "a bad free that address sanitizer found is told with the allocation",
        """\
void f(char *text) {
    char *text = malloc(8);  // 2
    free(text + 1);  // 1
}
""",
        [At("f", "free(text", {"text": pointer(0x5001)})],
        kind="crash",
        firm=False,
        steps=["2 allocates"],
        states=["bad-free", "text + 1", "shop.c:2 f char *text = malloc(8);"],
        advice=["-fsanitize=address"],
        stop={"signal": "", "report": asan("bad-free", 3, ("allocated by thread T0", [("f", 2)]), access="", size=0)},
    ),
    Story(
        "a function that was given the pointer before may have freed it, though the block would stay readable",
        """\
void drop(struct a *given) {
    free(given);  // 1
}
int f(struct a *p) {
    drop(p->next);
    return p->next->x;  // 2
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": WILD})],
        kind="crash",
        firm=False,
        steps=["2 may free given"],
        states=["p->next 0x41 (not readable)", "shop.c:2 drop free(given);"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x41},
    ),
    Story(
        "a function that was given the pointer before has freed it",
        """\
void drop(struct a *given) {
    free(given);  // 1
}
int f(struct a *p) {
    drop(p->next);
    return p->next->x;  // 2
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": FAR})],
        kind="use after free",
        steps=["2 frees given"],
        states=["p->next 0x7f0000001010 (not readable)", "shop.c:2 drop free(given);"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "a function that was given the object before has freed its member",
        """\
void drop(int n, struct a *given) {
    free(given->next);  // 1
}
int f(struct a *p) {
    drop(3, p);
    return p->next->x;  // 2
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": FAR})],
        kind="use after free",
        steps=["2 frees given->next"],
        states=["p->next 0x7f0000001010 (not readable)", "shop.c:2 drop free(given->next);"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "a function that frees only sometimes may have freed it",
        """\
void drop(struct a *given) {
    if (--given->refs == 0)
        free(given);  // 1
}
int f(struct a *p) {
    drop(p->next);
    return p->next->x;  // 2
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": WILD})],
        kind="crash",
        firm=False,
        steps=["3 may free given"],
        states=["p->next 0x41 (not readable)", "shop.c:3 drop free(given);"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x41},
    ),
    Story(
        "a function that was given another member has not freed it",
        """\
void drop(struct a *given) {
    free(given);
}
int f(struct a *p) {
    drop(p->other);
    return p->next->x;  // 1
    drop(p->next);
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": WILD})],
        kind="crash",
        firm=False,
        states=["p->next 0x41 (not readable)"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x41},
    ),
    Story(
        "what is set anew after it was freed is not used after that",
        """\
void drop(struct a *given) {
    free(given);
}
int f(struct a *p) {
    drop(p->next);
    p = make();  // 1
    return p->next->x;  // 2
}
""",
        [At("f", "p->next->x", {"p": pointer(0x5000), "p->next": WILD})],
        kind="crash",
        firm=False,
        steps=["6 sets p"],
        states=["p->next 0x41 (not readable)"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x41},
    ),
    Story(
        "what the caller freed before it called is used after that",
        """\
int use(struct a *p) {
    return p->x;  // 2
}
int f(struct a *p) {
    free(p);  // 1
    return use(p);  // 3
}
""",
        [At("use", "p->x", {"p": FAR}), At("f", "use(p)", {"p": FAR})],
        kind="use after free",
        steps=["5 frees p", "6 passes `p` for p"],
        states=["p 0x7f0000001010 (not readable)", "shop.c:5 f free(p);"],
        cited=["p", "p"],
        advice=["-fsanitize=address p"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "a call that frees one of two pointers is told with the earlier one that may have",
        """\
void drop(char *p) {
    free(p);  // 1
}
int main(int n) {
    if (n)
        drop(first);  // 2
    drop(second);  // 3
}
void other(void) {
    drop(third);
}
""",
        [At("drop", "free(p)", {"p": pointer(0x5000)}), At("main", "drop(second)", {})],
        kind="double free",
        firm=False,
        steps=["7 passes `second` for p"],
        states=["p", "drop shop.c:6 drop(first)"],
        cited=["p"],
        advice=["", "-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": TWICE},
    ),
    Story(
        "a call that has not run has freed nothing",
        """\
void drop(char *p) {
    free(p);  // 1
}
int main(int n) {
    if (n)
        drop(first);
    drop(second);  // 2
}
""",
        [At("drop", "free(p)", {"p": pointer(0x5000)}), At("main", "drop(second)", {"n": 0})],
        kind="double free",
        firm=False,
        steps=["7 passes `second` for p"],
        states=["p"],
        cited=["p"],
        advice=["", "-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": TWICE},
    ),
    Story(
        "what the caller freed under its own name is used after that",
        """\
int use(struct a *p) {
    return p->next->x;  // 2
}
int f(struct a *p, struct a *q) {
    free(q->next);  // 1
    return use(q);  // 3
}
""",
        [At("use", "p->next->x", {"p": pointer(0x5000), "p->next": FAR}), At("f", "use(q)", {"q": pointer(0x5000)})],
        kind="use after free",
        steps=["5 frees q->next", "6 passes `q` for p"],
        states=["p->next 0x7f0000001010 (not readable)", "shop.c:5 f free(q->next);"],
        cited=["p->next"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "what the caller freed of another variable of that name is not used after that",
        """\
int use(struct a *p) {
    return p->x;  // 2
}
int f(struct a *p, struct a *q) {
    free(p);
    return use(q);  // 1
}
""",
        [At("use", "p->x", {"p": FAR}), At("f", "use(q)", {"q": FAR, "p": pointer(0x5000)})],
        kind="crash",
        firm=False,
        steps=["6 passes `q` for p"],
        states=["p 0x7f0000001010 (not readable)"],
        cited=["p", "q"],
        advice=["-fsanitize=address p"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "what the caller freed is not used after that where the function has set its own",
        """\
int use(struct a *p) {
    p = make();  // 1
    return p->x;  // 2
}
int f(struct a *p) {
    free(p);
    return use(p);
}
""",
        [At("use", "return p->x", {"p": FAR}), At("f", "use(p)", {"p": pointer(0x5000)})],
        kind="crash",
        firm=False,
        steps=["2 sets p"],
        states=["p 0x7f0000001010 (not readable)"],
        cited=["p"],
        advice=["-fsanitize=address p"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "what the other branch frees is not used after that",
        """\
int f(struct a *p, int mode) {
    if (mode == 1)
        free(p->next);
    else
        return p->next->x;  // 1
}
""",
        [At("f", "return p", {"p": pointer(0x5000), "mode": 2, "p->next": FAR})],
        kind="crash",
        firm=False,
        states=["p->next 0x7f0000001010 (not readable)"],
        cited=["p->next", "p"],
        advice=["-fsanitize=address p->next"],
        stop={"address": 0x7F0000001010},
    ),
    Story(
        "a call that frees the same pointer is a guess where nobody knows whether it has run",
        """\
void drop(char *p) {
    free(p);  // 1
}
int main(int n) {
    char *a = make();
    if (n)
        drop(a);
    drop(a); // again
}
""",
        [At("drop", "free(p)", {"p": pointer(0x5000)}), At("main", "again", {"a": pointer(0x5000)})],
        kind="double free",
        firm=False,
        steps=["2 may free p"],
        states=["p", "shop.c:2 drop free(p);"],
        advice=["", "-fsanitize=address"],
        stop={"signal": "SIGABRT", "report": TWICE},
    ),
]

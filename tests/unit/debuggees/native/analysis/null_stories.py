"""Programs of C whose null pointer came from another line."""

from __future__ import annotations

from dap_ai.agent.case.crash_report import Report
from tests.unit.debuggees.native.cases import NULL, At, pointer
from tests.unit.debuggees.native.stories import Story

TWICE = Report("libc", "double free", "free(): double free detected in tcache 2")

STORIES = [
    Story(
        "a null that six callers pass on is followed through five of them",
        """\
int f0(struct a *p0) {
    return p0->x;  // 1
}
int f1(struct a *p1) {
    return f0(p1);  // 2
}
int f2(struct a *p2) {
    return f1(p2);  // 3
}
int f3(struct a *p3) {
    return f2(p3);  // 4
}
int f4(struct a *p4) {
    return f3(p4);  // 5
}
int f5(struct a *p5) {
    return f4(p5);  // 6
}
int f6(struct a *p6) {
    return f5(p6);  // 7
}
int f7(struct a *p7) {
    return f6(p7);
}
""",
        [At("f0", "p0->x", {"p0": NULL}), *(At(f"f{n}", f"f{n - 1}(p{n})", {f"p{n}": NULL}) for n in range(1, 8))],
        firm=False,
        steps=[
            "5 passes `p1` for p0",
            "8 passes `p2` for p1",
            "11 passes `p3` for p2",
            "14 passes `p4` for p3",
            "17 passes `p5` for p4",
            "20 passes `p6` for p5",
        ],
    ),
    Story(
        "an unchecked allocation is a guess beside another line that may have set the pointer",
        """\
int f(int n) {
    struct a *p = malloc(8);  // 3
    if (n)
        p = make();  // 2
    return p->x;  // 1
}
""",
        [At("f", "p->x", {"p": NULL})],
        firm=False,
        steps=["4 sets p", "2 sets p"],
    ),
    Story(
        "an unchecked allocation is the cause where the other line has not run",
        """\
int f(int n) {
    struct a *p = malloc(8);  // 1
    if (n)
        p = make();
    return p->x;  // 2
}
""",
        [At("f", "p->x", {"p": NULL, "n": 0})],
        steps=["2 sets p"],
    ),
    Story(
        "a function that returns NULL is followed to its return",
        """\
struct order *find(int n) {
    if (n > 3)
        return NULL;  // 2
    if (n > 2)
        return spare();
    return &orders[n];
}
int total(int n) {
    struct order *o = find(n);  // 1
    return o->price;  // 3
}
int main(void) {
    return total(7);
}
""",
        [At("total", "o->price", {"o": NULL, "n": 7}), At("main", "total(7)")],
        firm=False,
        steps=["9 sets o", "3 returns NULL"],
    ),
    Story(
        "without a NULL among them every return of a function is followed",
        """\
struct order *find(int n) {
    struct order *spare = pick(n);  // 2
    if (n > 3)
        return spare;  // 4
    if (n > 2)
        return &first;
    return orders[n];  // 5
}
int total(int n) {
    struct order *o = find(n);  // 1
    return o->price;  // 3
}
""",
        [At("total", "o->price", {"o": NULL, "n": 7})],
        firm=False,
        steps=["10 sets o", "4 returns spare", "2 sets spare", "7 returns orders[n]"],
    ),
    Story(
        "a null variable is followed through two callers to the line that sets it",
        """\
int use(struct order *o) {
    return o->price;  // 2
}
int pass(struct order *given) {
    return use(given);  // 3
}
int main(void) {
    struct order *none = 0;  // 1
    return pass(none);  // 4
}
""",
        [
            At("use", "o->price", {"o": NULL}),
            At("pass", "use(given)", {"given": NULL}),
            At("main", "pass(none)", {"none": NULL}),
        ],
        steps=["5 passes `given` for o", "9 passes `none` for given", "8 sets none"],
    ),
    Story(
        "a NULL that the caller itself passes is the cause",
        """\
int use(struct order *o) {
    return o->price;  // 2
}
int main(void) {
    return use(NULL);  // 1
}
""",
        [At("use", "o->price", {"o": NULL}), At("main", "use(NULL)")],
        steps=["5 passes `NULL` for o"],
    ),
    Story(
        "what a call gives to a parameter is followed into it",
        """\
char *word(int n) {
    return NULL;  // 1
}
int first(char *text) {
    return text[0];  // 3
}
int main(void) {
    return first(word(3));  // 2
}
""",
        [At("first", "text[0]", {"text": NULL}), At("main", "first(word")],
        steps=["8 passes `word(3)` for text", "2 returns NULL"],
    ),
    Story(
        "a member is followed to each line that assigns to it",
        """\
void detach(struct list *l) {
    l->head = NULL;  // 1
}
void attach(struct list *l, struct node *n) {
    l->head = n;  // 3
}
int first(struct list *l) {
    return l->head->value;  // 2
}
""",
        [At("first", "return l->head", {"l": pointer(0x5000), "l->head": NULL})],
        firm=False,
        steps=["2 sets l->head", "5 sets l->head"],
    ),
    Story(
        "a member that no line assigns to is followed to where its object came from",
        """\
int first(struct list *l) {
    return l->head->value;  // 1
}
int main(void) {
    struct list *all = make();  // 2
    first(all);  // 3
}
""",
        [
            At("first", "l->head", {"l": pointer(0x5000), "l->head": NULL}),
            At("main", "first(all)", {"all": pointer(0x5000)}),
        ],
        firm=False,
        steps=["6 passes `all` for l", "5 sets all"],
    ),
    Story(
        "a member of a variable whose address is passed is followed by its name there",
        """\
int f(struct o *o) {
    return o->item->x;  // 2
}
int main(void) {
    struct o one;
    one.item = NULL;  // 1
    return f(&one);  // 3
}
""",
        [At("f", "o->item", {"o": pointer(0x5000), "o->item": NULL}), At("main", "f(&one)", {"one.item": NULL})],
        steps=["7 passes `&one` for o", "6 sets one.item"],
    ),
    Story(
        "a variable without a value is suspected of its members",
        """\
int f(struct o *o) {
    return o->item->x;  // 2
}
int main(void) {
    struct o one;  // 1
    return f(&one);  // 3
}
""",
        [At("f", "o->item", {"o": pointer(0x5000), "o->item": NULL}), At("main", "f(&one)", {"one.item": NULL})],
        firm=False,
        steps=["6 passes `&one` for o", "5 declares, without a value, one"],
    ),
    Story(
        "of the lines that hand out an address the two nearest are told",
        """\
int f(void) {
    struct a *p;
    a(&p);
    b(&p);  // 3
    c(&p);  // 1
    return p->x;  // 2
}
""",
        [At("f", "p->x", {"p": NULL})],
        firm=False,
        steps=["5 hands out the address of p", "4 hands out the address of p", "2 declares, without a value, p"],
    ),
    Story(
        "of the lines that may have set a pointer the four nearest are told",
        """\
int f(int a, int b, int c, int d, int e) {
    struct a *p;
    if (a) p = q1();
    if (b) p = q2();  // 5
    if (c) p = q3();  // 4
    if (d) p = q4();  // 3
    if (e) p = q5();  // 2
    return p->x;  // 1
}
""",
        [At("f", "p->x", {"p": NULL})],
        firm=False,
        steps=["7 sets p", "6 sets p", "5 sets p", "4 sets p"],
    ),
    Story(
        "the address of a variable is not where a null comes from",
        """\
int f(int n) {
    struct a *p = &first;
    if (n)
        p = find(n);  // 2
    return p->x;  // 1
}
""",
        [At("f", "p->x", {"p": NULL})],
        firm=False,
        steps=["4 sets p"],
    ),
    Story(
        "a null element of an array is the cause before the array is",
        """\
int f(int i) {
    struct a **all = load();  // 2
    return all[i]->x;  // 1
}
""",
        [At("f", "all[i]->x", {"all": pointer(0x5000), "i": 2, "all[i]": NULL})],
        steps=["2 sets all"],
    ),
    Story(
        "an element that a line of the function sets is followed to that line",
        """\
int f(int i) {
    all[i] = NULL;  // 1
    return all[i]->x;  // 2
}
""",
        [At("f", "all[i]->x", {"all": pointer(0x5000), "i": 2, "all[i]": NULL})],
        steps=["2 sets all[i]"],
    ),
    Story(
        "of a recursion the name in each call is another",
        """\
int walk(struct tree *t) {
    return t->key + walk(t->left);  // 1
}
int main(void) {
    return walk(root());  // 2
}
""",
        [
            At("walk", "t->key", {"t": NULL}),
            At("walk", "t->key", {"t": pointer(0x5000), "t->left": NULL}),
            At("main", "walk(root"),
        ],
        firm=False,
        steps=["2 passes `t->left` for t", "5 passes `root()` for t"],
    ),
    Story(
        "a pointer that only a condition sets, which did not hold, was never set",
        """\
int f(int n) {
    int *p;  // 1
    if (n > 3)
        p = &first;
    return *p;  // 2
}
""",
        [At("f", "return *p", {"n": 1, "p": NULL})],
        steps=["2 declares, without a value, p"],
    ),
    Story(
        "a null step of a list that code of the program made ends where that code ended it",
        """\
struct node *make(int n) {
    struct node *head = malloc(16);
    head->next = NULL;
    return head;  // 4
}
int last(struct node *at) {
    while (at->key != 3)  // 3
        at = at->next;  // 1
    return 1;
}
int main(void) {
    return last(make(2));  // 2
}
""",
        [At("last", "while", {"at": NULL}), At("main", "last(make")],
        steps=["8 sets at", "12 passes `make(2)` for at", "4 returns head"],
    ),
    Story(
        "the line that copies a struct is the cause of a second free where no line sets the member",
        """\
void discard(struct letter *letter) {
    free(letter->subject);  // 2
}
int main(void) {
    struct letter reply = first;  // 1
    discard(&first);  // 3
    discard(&reply);  // 4
}
""",
        [At("discard", "free(", {"letter->subject": "Y"}), At("main", "discard(&reply)")],
        kind="double free",
        steps=["7 passes `&reply` for letter", "5 sets reply"],
        stop={"signal": "SIGABRT", "report": TWICE},
    ),
]

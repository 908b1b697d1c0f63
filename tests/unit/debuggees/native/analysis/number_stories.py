"""Programs whose index or invalid pointer came from another line."""

from __future__ import annotations

from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import Story

WILD = pointer(0x41, note="not readable")
MARKS = Value("[0, 0, 0, 0, 0, 0]", "int[6]", "array", length=6)

STORIES = [
    Story(
        "a number that is used as a pointer is followed through its cast to the caller",
        """\
int f(long n) {
    struct a *p = (struct a *)n;  // 1
    return p->x;  // 3
}
int main(void) {
    f(65);  // 2
}
""",
        [At("f", "p->x", {"p": WILD, "n": 65}), At("main", "f(65")],
        kind="crash",
        firm=False,
        steps=["2 sets p", "6 passes `65` for n"],
        stop={"address": 0x41},
    ),
    Story(
        "an invalid pointer that a call gave is a guess",
        """\
int f(void) {
    struct a *p = next();  // 1
    return p->x;  // 2
}
""",
        [At("f", "p->x", {"p": WILD})],
        kind="crash",
        firm=False,
        steps=["2 sets p"],
        stop={"address": 0x41},
    ),
    Story(
        "an invalid pointer that a function of the program gave is followed to its returns",
        """\
struct a *next(int n) {
    if (n)
        return &first;
    return table[n];  // 2
}
int f(void) {
    struct a *p = next(0);  // 1
    return p->x;  // 3
}
""",
        [At("f", "p->x", {"p": WILD})],
        kind="crash",
        firm=False,
        steps=["7 sets p", "4 returns table[n]"],
        stop={"address": 0x41},
    ),
    Story(
        "a null is not told to come from a return of NULL where the pointer is invalid",
        """\
struct a *next(int n) {
    if (n)
        return NULL;
    return table[n];  // 2
}
int f(void) {
    struct a *p = next(0);  // 1
    return p->x;  // 3
}
""",
        [At("f", "p->x", {"p": WILD})],
        kind="crash",
        firm=False,
        steps=["7 sets p", "4 returns table[n]"],
        stop={"address": 0x41},
    ),
    Story(
        "the element of an index that is set in a loop is a guess",
        """\
int f(int n) {
    int at = 0;  // 3
    for (int i = 0; i < n; i++)  // 1
        at = i * 3;  // 2
    return marks[at];  // 4
}
""",
        [At("f", "marks[at]", {"at": 93, "n": 3, "marks": MARKS})],
        kind="overflow",
        firm=False,
        steps=["4 sets at", "3 steps i", "2 sets at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a line that changes a number is suspected before the one that it had it from",
        """\
int f(void) {
    int at = 0;
    at = start();  // 2
    at += 90;  // 1
    return marks[at];  // 3
}
""",
        [At("f", "marks[at]", {"at": 93, "marks": MARKS})],
        kind="overflow",
        firm=False,
        steps=["4 changes at", "3 sets at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a number that the caller passes is followed to it",
        """\
int f(int at) {
    return marks[at];  // 2
}
int main(void) {
    return f(93);  // 1
}
""",
        [At("f", "marks[at]", {"at": 93, "marks": MARKS}), At("main", "f(93)")],
        kind="overflow",
        steps=["5 passes `93` for at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a number that is computed of others is followed to the first of them",
        """\
int f(int row) {
    int wide = 30;
    int at = row * wide;  // 1
    return marks[at];  // 3
}
int main(void) {
    return f(3);  // 2
}
""",
        [At("f", "marks[at]", {"at": 90, "row": 3, "wide": 30, "marks": MARKS}), At("main", "f(3)")],
        kind="overflow",
        steps=["3 sets at", "7 passes `3` for row"],
        stop={"address": 0x70000000},
    ),
    Story(
        "an index that a function of the program returns is a guess at its returns",
        """\
int place(int n) {
    if (n == 0)
        return -1;  // 2
    return n * 2;  // 3
}
int f(void) {
    int at = place(0);  // 1
    return marks[at];  // 4
}
""",
        [At("f", "marks[at]", {"at": -1, "marks": MARKS})],
        kind="overflow",
        firm=False,
        steps=["7 sets at", "3 returns -1", "4 returns n * 2"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a length that is used as an index is one too large",
        """\
int f(char *text) {
    int at = strlen(text);  // 1
    return marks[at];  // 2
}
""",
        [At("f", "marks[at]", {"at": 6, "text": "abcdef", "marks": MARKS})],
        kind="overflow",
        steps=["2 sets at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a member of an allocation that another function may have filled is a guess",
        """\
int main(void) {
    struct customer *ann = malloc(sizeof *ann);  // 1
    enrol(ann);
    return ann->referrer->city;  // 2
}
""",
        [At("main", "ann->referrer", {"ann": pointer(0x5000), "ann->referrer": WILD})],
        kind="uninitialised",
        firm=False,
        steps=["2 sets ann"],
        stop={"address": 0x41},
    ),
    Story(
        "a member of an allocation that is zeroed has not been left unset",
        """\
int main(void) {
    struct customer *ann = calloc(1, sizeof *ann);  // 1
    return ann->referrer->city;  // 2
}
""",
        [At("main", "ann->referrer", {"ann": pointer(0x5000), "ann->referrer": WILD})],
        kind="crash",
        firm=False,
        steps=["2 sets ann"],
        stop={"address": 0x41},
    ),
    Story(
        "an index that runs to a wrong limit in the caller is followed there",
        """\
int cell(int row) {
    return marks[row];  // 3
}
int sum(int n) {
    for (int row = 0; row <= n; row++)  // 1
        cell(row);  // 2
}
""",
        [At("cell", "marks[row]", {"row": 6, "marks": MARKS}), At("sum", "cell(row)", {"row": 6, "n": 6})],
        kind="overflow",
        steps=["6 passes `row` for row", "5 steps row"],
        stop={"address": 0x70000000},
    ),
    Story(
        "an index of the caller's loop that is not right behind the end is a guess",
        """\
int cell(int row) {
    return marks[row];  // 3
}
int sum(int n) {
    for (int row = 0; row <= n; row++)  // 1
        cell(row);  // 2
}
""",
        [At("cell", "marks[row]", {"row": 8, "marks": MARKS}), At("sum", "cell(row)", {"row": 8, "n": 8})],
        kind="overflow",
        firm=False,
        steps=["6 passes `row` for row", "5 steps row"],
        stop={"address": 0x70000000},
    ),
    Story(
        "an index that the caller's loop means to reach is a guess",
        """\
int cell(int row) {
    return marks[row];  // 3
}
int sum(int last) {
    for (int row = 0; row <= last; row++)  // 1
        cell(row);  // 2
}
""",
        [At("cell", "marks[row]", {"row": 6, "marks": MARKS}), At("sum", "cell(row)", {"row": 6, "last": 6})],
        kind="overflow",
        firm=False,
        steps=["6 passes `row` for row", "5 steps row"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a variable that is set on both ways is no variable without a value",
        """\
int f(int n) {
    int at;  // 2
    if (n)
        at = 90;  // 1
    else
        at = 3;
    return marks[at];  // 3
}
""",
        [At("f", "marks[at]", {"at": 90, "marks": MARKS})],
        kind="overflow",
        steps=["6 sets at", "4 sets at", "2 declares, without a value, at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "a variable that only an unknown condition sets is a guess",
        """\
int f(int n) {
    int at;  // 1
    if (odd(n))
        at = 3;
    return marks[at];  // 2
}
""",
        [At("f", "marks[at]", {"at": 32767, "marks": MARKS})],
        kind="overflow",
        firm=False,
        steps=["2 declares, without a value, at"],
        stop={"address": 0x70000000},
    ),
]

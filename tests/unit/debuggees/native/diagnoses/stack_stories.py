"""Programs that fill the stack, and threads in each other's way."""

from __future__ import annotations

from dap_ai.agent.case.crash_report import Report, Stack
from dap_ai.protocol.contracts.inspection import ThreadFrame
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import C, Story, asan

STORIES = [
    Story(
        "a recursion without a way out is the cause",
        """\
int depth(int n) {
    return depth(n + 1) + 1;  // 1
}
int main(void) {
    return depth(0);
}
""",
        [*(At("depth", "depth(n + 1)", {"n": 60 - k}) for k in range(60)), At("main", "return depth(0)")],
        kind="stack overflow",
        steps=["2 calls depth"],
        states=["", "depth", "n 58 59 60"],
        cited=["n"],
        advice=[""],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "a recursion that only just reaches forty calls is the cause of a full stack",
        """\
int depth(int n) {
    if (n < 0) return 0;  // 2
    if (n == 7) return 1;  // 3
    if (n == 8) return 2;
    return depth(n + 1);  // 1
}
""",
        [At("depth", "depth(n + 1)", {"n": 60 - k}) for k in range(40)],
        kind="stack overflow",
        firm=False,
        steps=["5 calls depth"],
        states=["", "n 58 59 60"],
        cited=["n"],
        advice=[""],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "a recursion of fewer calls is no full stack",
        """\
int depth(int n) {
    if (n < 0) return 0;
    return depth(n + 1);  // 1
}
""",
        [At("depth", "depth(n + 1)", {"n": 60 - k}) for k in range(39)],
        kind="crash",
        firm=False,
        states=["0x7fff0000"],
        cited=["n"],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "pointers that come round again are a cycle in the data",
        """\
int depth(struct d *d) {
    if (!d) return 0;  // 4
    return 1 + depth(d->parent);  // 3
}
int main(void) {
    a.parent = &b;  // 1
    b.parent = &a;  // 2
    return depth(&a);
}
""",
        [At("depth", "1 + depth", {"d": pointer(0x5000 + n % 2 * 16)}) for n in range(60)],
        kind="stack overflow",
        firm=False,
        steps=["3 calls depth", "6 sets a.parent", "7 sets b.parent"],
        states=["", "d 0x5010 0x5000", "parent"],
        cited=["d", "d"],
        advice=[""],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "arguments that stay the same never end it",
        """\
int depth(int n, int all) {
    if (n == all)  // 2
        return 0;
    return depth(n, all);  // 1
}
""",
        [At("depth", "return depth", {"n": 3, "all": 9}) for n in range(60)],
        kind="stack overflow",
        steps=["4 calls depth"],
        states=["", "n 3", "all 9"],
        cited=["n", "all"],
        advice=[""],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "an array that is too large for the stack is the cause",
        """\
int f(int n) {
    static char table[9000000];
    char small[100];
    double all[1000 * 1000];  // 1
    all[n] = 3;  // 2
}
""",
        [At("f", "all[n]", {"n": 3})],
        kind="stack overflow",
        states=["shop.c:4"],
        advice=["static ulimit -s"],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "an array that fits on the stack is not the cause",
        """\
int f(int n) {
    char all[524287];
    all[n] = 3;  // 1
}
""",
        [At("f", "all[n]", {"n": 3})],
        kind="crash",
        firm=False,
        states=["0x7fff0000"],
        cited=["n"],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "an array on the last line of a function that is just too large is the cause",
        """\
int f(int n) {
    use(n);  // 2
    char all[524288]; }  // 1
""",
        [At("f", "use(n)", {"n": 3})],
        kind="stack overflow",
        states=["shop.c:3"],
        advice=["static ulimit -s"],
        stop={"address": 0x7FFF0000},
    ),
    Story(
        "a stack overflow that address sanitizer reports needs no forty calls",
        """\
int depth(int n) {
    return depth(n + 1);  // 1
}
""",
        [At("depth", "depth(n + 1)", {"n": 9 - k}) for k in range(9)],
        kind="stack overflow",
        steps=["2 calls depth"],
        states=["", "depth", "n 7 8 9"],
        cited=["n"],
        advice=[""],
        stop={"signal": "", "report": asan("stack-overflow", 2)},
    ),
    Story(
        "both accesses of a race are told with where the memory is",
        """\
int counter;
void add(void) {
    counter++;  // 1
}
int main(void) {
    return counter;  // 2
}
""",
        [At("add", "counter++", {"counter": 7, "&counter": pointer(0x5000)})],
        kind="data race",
        steps=["3 touches it", "6 touches it"],
        states=["", "counter", "shop.c:3 add counter++;", "shop.c:6 main return counter;"],
        cited=["counter"],
        advice=[""],
        stop={
            "signal": "",
            "report": Report(
                "ThreadSanitizer",
                "data race",
                "data race",
                stacks=[
                    Stack("write of size 4 by thread T1", [ThreadFrame("add", C, 3)]),
                    Stack("Mutex M0 created", [ThreadFrame("main", C, 5)]),
                    Stack("Previous read of size 4 by main thread", [ThreadFrame("main", C, 6)]),
                    Stack("Previous read of size 4 by thread T9", [ThreadFrame("gone", "/src/gone.c", 6)]),
                ],
                facts=["Thread T1 finished", "Location is global `counter`."],
            ),
        },
    ),
    Story(
        "locks that are taken in two orders are a deadlock to come",
        """\
void pay(void) {
    pthread_mutex_lock(&a);  // 3
    pthread_mutex_lock(&b);  // 1
}
void refund(void) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);  // 2
}
""",
        [At("refund", "lock(&a);", {"n": 7})],
        kind="deadlock",
        steps=["3 locks", "7 locks"],
        states=["", "shop.c:3 pay pthread_mutex_lock(&b);", "shop.c:7 refund pthread_mutex_lock(&a);"],
        cited=["n"],
        advice=[""],
        stop={
            "signal": "",
            "report": Report(
                "ThreadSanitizer",
                "lock-order-inversion",
                "",
                stacks=[
                    Stack("Mutex M1 acquired here while holding mutex M0", [ThreadFrame("pay", C, 3)]),
                    Stack("Mutex M0 acquired here while holding mutex M1", [ThreadFrame("refund", C, 7)]),
                ],
            ),
        },
    ),
]

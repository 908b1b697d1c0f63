"""Programs that fail in arithmetic or at an empty container."""

from __future__ import annotations

from dap_ai.protocol.contracts.inspection import Field, Value
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import CPP, RUST, Story, panic, ubsan

EMPTY = Value("[]", "std::vector<int>", "list", length=0)

STORIES = [
    Story(
        "a divisor that the caller passes as 0 is followed to it",
        """\
int mean(int n) {
    return 100 / n;  // 1
}
int main(void) {
    return mean(0);  // 2
}
""",
        [At("mean", "100 / n", {"n": 0}), At("main", "mean(0)")],
        kind="division by zero",
        firm=False,
        steps=["5 passes `0` for n"],
        states=["n 0 100"],
        cited=["n"],
        advice=["n"],
        stop={"signal": "SIGFPE"},
    ),
    Story(
        "a divisor that is computed is told with what it is computed of",
        """\
int share(int all, int first, int last) {
    return all % (last - first);  // 1
}
""",
        [At("share", "all %", {"all": 7, "first": 4, "last": 4})],
        kind="division by zero",
        firm=False,
        states=["last - first 0 all 7"],
        cited=["all", "last", "first"],
        advice=["last - first"],
        stop={"signal": "SIGFPE"},
    ),
    Story(
        "of two divisions the one by 0 is told",
        """\
int share(int a, int b, int c, int d) {
    return a / b + c / d;  // 1
}
""",
        [At("share", "a / b", {"a": 7, "b": 4, "c": 4, "d": 0})],
        kind="division by zero",
        firm=False,
        states=["d 0 c 4"],
        cited=["c", "d"],
        advice=["d"],
        stop={"signal": "SIGFPE"},
    ),
    Story(
        "the least number divided by -1 is an overflow",
        """\
int turn(int n, int by) {
    return n / by;  // 1
}
int main(void) {
    int least = -2147483648;  // 2
    return turn(least, -1);  // 3
}
""",
        [At("turn", "n / by", {"n": -2147483648, "by": -1}), At("main", "return turn(", {"least": -2147483648})],
        kind="integer overflow",
        steps=["6 passes `least` for n", "5 sets least"],
        states=["n -2147483648"],
        cited=["n", "least"],
        advice=[""],
        stop={"signal": "SIGFPE"},
    ),
    Story(
        "a division whose numbers nobody has read is a division by zero",
        """\
int mean(int n) {
    return 100 / count();  // 1
}
""",
        [At("mean", "100 / count")],
        kind="division by zero",
        firm=False,
        states=[""],
        stop={"signal": "SIGFPE"},
    ),
    Story(
        "a panic of a division by zero is one",
        """\
fn mean(sum: u32, n: u32) -> u32 {
    sum / n  // 1
}
""",
        [At("mean", "sum / n", {"sum": 4, "n": 0})],
        kind="division by zero",
        firm=False,
        states=["n 0 sum 4"],
        cited=["sum", "n"],
        advice=["n"],
        stop={"path": RUST, "signal": "", "report": panic("attempt to divide by zero")},
    ),
    Story(
        "a product that is too large in Rust is told with its operands",
        """\
fn area(wide: u32, high: u32) -> u32 {
    wide * high + 1  // 1
}
fn main() {
    area(70000, 80000);  // 2
}
""",
        [
            At("area", "wide * high", {"wide": Value("70000", "u32", "int"), "high": Value("80000", "u32", "int")}),
            At("main", "area(7"),
        ],
        kind="integer overflow",
        steps=["5 passes `70000` for wide", "5 passes `80000` for high"],
        states=["", "wide 70000 high 80000"],
        cited=["wide", "high"],
        advice=["u64 checked_mul u32"],
        stop={"path": RUST, "signal": "", "report": panic("attempt to multiply with overflow")},
    ),
    Story(
        "a difference below zero in Rust is no number that is too large",
        """\
fn left(all: u32, used: u32) -> u32 {
    all - used  // 1
}
""",
        [At("left", "all - used", {"all": 3, "used": 5})],
        kind="integer overflow",
        states=["", "all 3 used 5"],
        cited=["all", "used"],
        advice=[""],
        stop={"path": RUST, "signal": "", "report": panic("attempt to subtract with overflow")},
    ),
    Story(
        "an unsigned difference below zero is no number that is too large",
        """\
unsigned left(unsigned all, unsigned used) {
    return all - used;  // 1
}
""",
        [At("left", "all - used", {"all": 3, "used": 5})],
        kind="integer overflow",
        states=["", "all 3 used 5"],
        cited=["all", "used"],
        advice=[""],
        stop={
            "signal": "",
            "report": ubsan(
                "unsigned-integer-overflow",
                "unsigned integer overflow: 3 - 5 cannot be represented in type 'unsigned int'",
            ),
        },
    ),
    Story(
        "a sum that is too large is told by the operator that the report names",
        """\
int sum(int a, int b, int c) {
    return a * b + c;  // 1
}
""",
        [At("sum", "a * b", {"a": 2, "b": 3, "c": 2147483647, "a * b": 6})],
        kind="integer overflow",
        states=["", "a 2 b 3 c 2147483647"],
        cited=["a", "b", "c"],
        advice=["long long int64_t int"],
        stop={
            "signal": "",
            "report": ubsan(
                "signed-integer-overflow", "signed integer overflow: 6 + 2147483647 cannot be represented in type 'int'"
            ),
        },
    ),
    Story(
        "of an overflow whose operation is not known every name is told",
        """\
int shift(int n, int by) {
    return n << by;  // 1
}
""",
        [At("shift", "n <<", {"n": 1, "by": 32})],
        kind="integer overflow",
        states=["", "n 1 by 32"],
        cited=["n", "by"],
        advice=["long long int64_t int"],
        stop={
            "signal": "",
            "report": ubsan("invalid-shift-exponent", "shift exponent 32 is too large for 32-bit type 'int'"),
        },
    ),
    Story(
        "the last of an empty container is not there, and who asked for it is suspected",
        """\
int last(std::vector<int> &jobs) {
    return jobs.back();  // 1
}
int main() {
    std::vector<int> none;
    return last(none);  // 2
}
""",
        [At("last", "jobs.back", {"jobs": EMPTY}), At("main", "last(none)", {"none": EMPTY})],
        kind="overflow",
        steps=["6 calls last"],
        states=["jobs jobs.back()"],
        cited=["jobs"],
        advice=["jobs.empty()"],
        stop={"path": CPP},
    ),
    Story(
        "the last of an empty member that a called method takes is not there",
        """\
struct Queue {
    int last() {
        return jobs.back();  // 1
    }
    std::vector<int> jobs;
};
int main() {
    Queue q;
    return q.last();  // 2
}
""",
        [
            At(
                "main",
                "q.last()",
                {"q": Value("{jobs=[]}", "Queue", "struct", fields=[Field("jobs", "[]", "std::vector<int>")])},
            )
        ],
        kind="overflow",
        steps=["3 takes an element of q.jobs"],
        states=["q.jobs shop.cpp:3 Queue::last jobs.back()"],
        cited=["q"],
        advice=["q.jobs.empty()"],
        stop={"path": CPP},
    ),
    Story(
        "the last of an empty member of an object that a pointer holds is not there",
        """\
struct Queue {
    int last() {
        count();
        return jobs[jobs.size() - 1];  // 1
    }
    std::vector<int> jobs;
};
int main(Queue *q) {
    start();
    return q->last();  // 2
}
""",
        [At("main", "q->last()", {"q": pointer(0x5000), "q->jobs": EMPTY})],
        kind="integer overflow",
        steps=["4 takes an element of q->jobs"],
        states=["q->jobs shop.cpp:4 Queue::last jobs.size() - 1"],
        cited=["q->jobs", "q"],
        advice=["q->jobs.empty()"],
        stop={"path": CPP},
    ),
    Story(
        "the last of the object's own empty member is not there",
        """\
int Queue::last() {
    return jobs.back();  // 1
}
""",
        [
            At(
                "Queue::last",
                "jobs.back",
                {
                    "this": Value(
                        "0x5000",
                        "Queue *",
                        "pointer",
                        address=0x5000,
                        fields=[Field("other", "[]", "std::vector<int>"), Field("jobs", "{}", "std::vector<int>")],
                    )
                },
            )
        ],
        kind="overflow",
        states=["this.jobs jobs.back()"],
        cited=["this"],
        advice=["this.jobs.empty()"],
        stop={"path": CPP},
    ),
    Story(
        "the last of a container that is not empty is no such failure",
        """\
int last(std::vector<int> &jobs) {
    return jobs.back();  // 1
}
""",
        [At("last", "jobs.back", {"jobs": Value("[7]", "std::vector<int>", "list", length=1)})],
        kind="crash",
        firm=False,
        states=["0x0"],
        cited=["jobs"],
        stop={"path": CPP},
    ),
]

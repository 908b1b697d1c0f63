"""Programs that leave the bounds of an array, by an index or a copy."""

from __future__ import annotations

from dap_ai.protocol.contracts.inspection import Value
from tests.unit.debuggees.native.cases import At, pointer
from tests.unit.debuggees.native.stories import CPP, RUST, Story, asan, chars, panic, ubsan

EMPTY = Value("[]", "std::vector<int>", "list", length=0)
MARKS = Value("[0, 0, 0, 0, 0, 0]", "int[6]", "array", length=6)

STORIES = [
    Story(
        "a copy of a string that is too long for its array is told with both",
        """\
void f(const char *text) {
    char label[4];  // 2
    strcpy(label, text);  // 1
}
""",
        [At("f", "strcpy", {"label": chars("abc", 4), "text": Value('"abcdefg"', "char *", "str", length=7)})],
        kind="overflow",
        states=['strcpy label text "abcdefg"'],
        cited=["label", "text"],
        advice=["label snprintf"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 3, access="write", size=8)},
    ),
    Story(
        "a copy with a count that is too large is blamed for its count",
        """\
void f(const char *text, int n) {
    char label[4];  // 2
    memcpy(label, text, n);  // 1
}
""",
        [At("f", "memcpy", {"label": chars("abc", 4), "text": "abcdefg", "n": 8})],
        kind="overflow",
        states=['memcpy label text "abcdefg" n 8'],
        cited=["label", "text", "n"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 3, access="write", size=8)},
    ),
    Story(
        "a copy that is no larger than its array is not blamed for it",
        """\
void f(const char *text, int i) {
    char label[4];  // 1
    memcpy(&label[i], text, 2);  // 2
}
""",
        [
            At(
                "f",
                "memcpy",
                {
                    "label": chars("abc", 4),
                    "text": "abcdefg",
                    "i": 9,
                    "&label[i]": Value("[..]", "char[4]", "array", length=4),
                },
            )
        ],
        kind="overflow",
        firm=False,
        steps=["2 states the size of label"],
        states=["i 9 label shop.c:2"],
        cited=["i", "label"],
        advice=["i"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 3, access="write", size=2)},
    ),
    Story(
        "a function that returns to nowhere has overrun an array of its frame",
        """\
void other(char *label) {
    strcpy(label, "abcdefghijkl");
}
int f(char *text, int n) {
    char label[8];
    char name[8];
    char size[8];
    int count = 3;
    snprintf(size, 80, text);  // 2
    memcpy(name, text, n);  // 3
    strcpy(label, text);  // 1
    fgets(name, 8, file);
    return count;  // 4
}
""",
        [
            At(
                "f",
                "return count",
                {"label": chars("abcdefgh", 8), "name": chars("abc", 8), "size": chars("a", 8), "count": 3},
            )
        ],
        kind="overflow",
        states=["", 'label "abcdefgh"', 'name "abc"', 'size "a"'],
        cited=["label", "name", "size"],
        advice=["-fsanitize=address"],
        stop={"address": 0x6867, "instruction": "ret"},
    ),
    Story(
        "at the brace that ends a function an array of its frame was overrun",
        """\
void f(char *text, int n) {
    char name[8];
    memcpy(name, text, n);  // 1
}  // 2
""",
        [At("f", "}", {"name": chars("abc", 8), "n": 80})],
        kind="overflow",
        states=["", 'name "abc"'],
        cited=["name"],
        advice=["-fsanitize=address"],
        stop={"address": 0x6867},
    ),
    Story(
        "a return to nowhere of a function without arrays is an ordinary crash",
        """\
int f(char *text) {
    return 1;  // 1
}
""",
        [At("f", "return 1", {"text": "a"})],
        kind="crash",
        firm=False,
        states=["0x6867"],
        stop={"address": 0x6867, "instruction": "ret"},
    ),
    Story(
        "a loop whose limit is a number is blamed for it where the array has fewer elements",
        """\
void f(void) {
    int marks[6];  // 2
    for (int i = 0; i < 24; i++)  // 1
        marks[i] = 0;  // 3
}
""",
        [At("f", "marks[i]", {"i": 6, "marks": MARKS})],
        kind="overflow",
        steps=["2 states the size of marks", "3 counts i"],
        states=["i 6 marks shop.c:2"],
        cited=["i", "marks"],
        advice=["i"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 4, access="write")},
    ),
    Story(
        "a loop that means its last round may index what is too small",
        """\
void f(int last) {
    int marks[6];  // 1
    for (int i = 0; i <= last; i++)  // 3
        marks[i] = 0;  // 4
}
void g(void) {
    f(6);  // 2
}
""",
        [At("f", "marks[i]", {"i": 6, "last": 6, "marks": MARKS}), At("g", "f(6)")],
        kind="overflow",
        firm=False,
        steps=["2 states the size of marks", "3 counts i", "7 passes `6` for last"],
        states=["i 6 marks shop.c:2"],
        cited=["i", "marks", "last"],
        advice=["i"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 4, access="write")},
    ),
    Story(
        "a range of Rust that is one too long is cut",
        """\
fn f(n: usize, v: &[u32]) -> u32 {
    for i in 0..=n {  // 1
        sum += v[i];  // 2
    }
}
""",
        [At("f", "v[i]", {"i": 3, "n": 3, "v": Value("[1, 2, 3]", "&[u32]", "list", length=3)})],
        kind="overflow",
        steps=["2 counts i"],
        states=["i 3 v"],
        cited=["i", "v"],
        fix="    for i in 0..n {",
        stop={"path": RUST, "signal": "", "report": panic("index out of bounds: the len is 3 but the index is 3")},
    ),
    Story(
        "a limit that was set too large is followed",
        """\
void f(void) {
    int marks[6];  // 2
    int n = 24;  // 1
    for (int i = 0; i < n; i++)  // 3
        marks[i] = 0;  // 4
}
""",
        [At("f", "marks[i]", {"i": 6, "n": 24, "marks": MARKS})],
        kind="overflow",
        steps=["2 states the size of marks", "4 counts i", "3 sets n"],
        states=["i 6 marks shop.c:2", "n 24"],
        cited=["i", "marks", "n"],
        advice=["i"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 5, access="write")},
    ),
    Story(
        "an index that the report alone tells is told without a loop",
        """\
void f(int at) {
    marks[at + 1] = 0;  // 1
}
""",
        [At("f", "marks[at", {"at": 3})],
        kind="overflow",
        firm=False,
        states=["at + 1 4 marks"],
        cited=["at"],
        stop={"signal": "", "report": ubsan("out-of-bounds-index", "index 4 out of bounds for type 'int [4]'")},
    ),
    Story(
        "a literal index is told as it is",
        """\
void f(void) {
    int one[1];  // 1
    one[1] = 0;  // 2
}
""",
        [At("f", "one[1] = 0", {"one": Value("[0]", "int[1]", "array", length=1)})],
        kind="overflow",
        firm=False,
        steps=["2 states the size of one"],
        states=["1 one shop.c:2"],
        cited=["one"],
        advice=["1"],
        stop={"signal": "", "report": asan("stack-buffer-overflow", 3, access="write")},
    ),
    Story(
        "an index of an empty container is told as that",
        """\
int f(const std::vector<int> &all, int n) {
    return all[n];  // 1
}
""",
        [At("f", "all[n]", {"n": 0, "all": EMPTY})],
        kind="overflow",
        firm=False,
        states=["n 0 all"],
        cited=["n", "all"],
        advice=["n"],
        stop={"path": CPP, "signal": "", "report": asan("heap-buffer-overflow", 2, path=CPP)},
    ),
    Story(
        "an array that new made is bounded by the number in its brackets",
        """\
void f(int n) {
    int *all = new int[4];  // 1
    all[n] = 3;  // 2
}
""",
        [At("f", "all[n]", {"n": 4, "all": pointer(0x5000)})],
        kind="overflow",
        firm=False,
        steps=["2 states the size of all"],
        states=["n 4 all shop.cpp:2"],
        cited=["n", "all"],
        advice=["n"],
        stop={"path": CPP, "signal": "", "report": asan("heap-buffer-overflow", 3, path=CPP, access="write")},
    ),
    Story(
        "an array that calloc made for the caller is bounded by its count",
        """\
void f(int *all, int n) {
    all[n] = 3;  // 3
}
void g(int count) {
    int *made = calloc(count, sizeof(int));  // 2
    int *same = made;
    f(same, count);  // 1
}
""",
        [At("f", "all[n]", {"n": 4, "all": pointer(0x5000)}), At("g", "f(same", {"count": 4, "same": pointer(0x5000)})],
        kind="overflow",
        firm=False,
        steps=["5 states the size of all", "7 passes `count` for n"],
        states=["n 4 all shop.c:5"],
        cited=["n", "all", "count"],
        advice=["n"],
        stop={"signal": "", "report": asan("heap-buffer-overflow", 2, access="write")},
    ),
    Story(
        "an array of a size that is known only to the report is told by its region",
        """\
void f(int *all, int n) {
    for (int i = 0; i <= n; i++)  // 1
        all[i] = 3;  // 2
}
""",
        [At("f", "all[i]", {"i": 4, "n": 4, "all": pointer(0x5000)})],
        kind="overflow",
        steps=["2 counts i"],
        states=[""],
        cited=["i"],
        fix="    for (int i = 0; i < n; i++)",
        stop={
            "signal": "",
            "report": asan(
                "heap-buffer-overflow",
                3,
                access="write",
                facts=["0x5010 is located 0 bytes after 16-byte region [0x5000,0x5010)"],
            ),
        },
    ),
    Story(
        "an access before a region is not behind it",
        """\
void f(int *all, int n) {
    all[n] = 3;  // 1
}
""",
        [At("f", "all[n]", {"n": -1, "all": pointer(0x5000)})],
        kind="overflow",
        firm=False,
        states=["", "n -1 all"],
        cited=["n", "all"],
        advice=["n"],
        stop={
            "signal": "",
            "report": asan(
                "heap-buffer-overflow",
                2,
                access="write",
                facts=["0x4ffc is located 4 bytes before 16-byte region [0x5000,0x5010)"],
            ),
        },
    ),
    Story(
        "an access beyond a global is told with its size",
        """\
int f(int n) {
    return table[n];  // 1
}
""",
        [At("f", "table[n]", {"n": 9})],
        kind="overflow",
        firm=False,
        states=["table"],
        cited=["n"],
        advice=["n"],
        stop={
            "signal": "",
            "report": asan(
                "global-buffer-overflow",
                2,
                facts=["0x5 is located 0 bytes after global variable 'table' defined in 'shop.c' (0x5000) of size 16"],
            ),
        },
    ),
    Story(
        "an access before the first local variable is told by it",
        """\
int f(int n) {
    int all[4];
    return all[n];  // 1
}
""",
        [At("f", "return all[n]", {"n": -2})],
        kind="overflow",
        firm=False,
        states=["all", "n -2 all"],
        cited=["n"],
        advice=["n"],
        stop={
            "signal": "",
            "report": asan(
                "stack-buffer-underflow",
                3,
                text="[32, 48) 'all' (line 2) <== Memory access at offset 24 underflows this variable",
            ),
        },
    ),
    Story(
        "an access within a local variable ends behind it",
        """\
int f(int n) {
    int all[4];
    return *(long *)&all[n];  // 1
}
""",
        [At("f", "return *(long", {"n": 3})],
        kind="overflow",
        firm=False,
        states=["all"],
        cited=["n"],
        advice=["n"],
        stop={
            "signal": "",
            "report": asan(
                "stack-buffer-overflow",
                3,
                text="[32, 48) 'all' (line 2) <== Memory access at offset 44 partially overflows this variable",
            ),
        },
    ),
    Story(
        "a variable without a value is a wrong index",
        """\
int f(void) {
    int at;  // 1
    return marks[at];  // 2
}
""",
        [At("f", "marks[at]", {"at": 32767, "marks": MARKS})],
        kind="uninitialised",
        steps=["2 declares, without a value, at"],
        states=["at 32767 marks", "shop.c:2 at"],
        cited=["at", "marks"],
        advice=["-Wall -Wextra -O1 -Wmaybe-uninitialized"],
        stop={"address": 0x70000000},
    ),
    Story(
        "an index that is huge leads astray without a known size",
        """\
int f(long at) {
    return table[at];  // 2
}
void g(void) {
    f(400000000);  // 1
}
""",
        [At("f", "table[at]", {"at": 400000000, "table": pointer(0x5000)}), At("g", "f(400000000)")],
        kind="overflow",
        steps=["5 passes `400000000` for at"],
        states=["at 400000000 table"],
        cited=["at", "table"],
        advice=["at"],
        stop={"address": 0x70000000},
    ),
    Story(
        "an index that is plausible is not blamed without a known size",
        """\
int f(long at) {
    return table[at];  // 1
}
""",
        [At("f", "table[at]", {"at": 400, "table": pointer(0x5000)})],
        kind="crash",
        firm=False,
        states=["0x70000000"],
        cited=["table", "at"],
        stop={"address": 0x70000000},
    ),
]

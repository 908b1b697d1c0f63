"""What must never do anything in a native program, and what must be answered, and how."""

from __future__ import annotations

CALLS = [
    "trace(1)", "trace(trace(1))", "::trace(1)", "(trace)(1)", "(*trace)(1)", "(*&trace)(1)", "stop(0, price, 1)",
    "price.get()", "(&price)->get()", "price.set(1).cents", "price(7)", "text.clear()", "numbers.push_back(4)",
    "numbers.data()[0]", 'stock.at("apple")', "owner.get()", "owner.reset()", "abort()", 'system("touch pwned")',
    '((int(*)(const char*))system)("touch pwned")', 'printf("x")', "exit(3)", "Watched(3).value", "Money{trace(1)}",
    "handle.operator->()", "price.operator+(price)", "left.operator int()", "numbers.size()", "x + trace(1)",
    "a[trace(1)]", "yes && trace(1)", "yes ? trace(1) : 0", "sizeof(trace(1))", "sizeof(int[trace(1)])",
    "decltype(trace(1))(0)", "typeid(trace(1)).name()", "alignof(decltype(trace(1)))", "noexcept(trace(1))",
    "__builtin_trap()", "fork()", "std::move(text)", "trace  (1)", "trace\t(1)", "trace/**/(1)", "1.5_traced",
]  # fmt: skip
WRITES = [
    "x = 5", "(x = 3)", "x=5", "counter = 9", "::counter = 9", "x += 1", "x -= 1", "x <<= 1", "x |= 4", "x++", "++x",
    "--x", "x--", "(x)++", "*middle = 7", "a[1] = 7", "middle[1]++", "order->id = 9", "order->next->id = 9",
    "(x, x = 5)", "x = 5, x", "(x = 3) ? 1 : 2", "[&]{ x = 5; return x; }()", "({ x = 5; x; })", "new int(3)",
    "new Money{1}", "delete order", "delete[] middle", "throw 1", 'asm("nop")', "goto out", "return 3", "co_await x",
    "int y = 5", "x == 1 || (x = 2)", "color = RED", 'text = "other"', "numbers[0] = 9", 'stock["new"] = 1',
    'stock["new"]', "*&x = 4", "(int&)x = 4", "static_cast<int&>(x) = 4", "const_cast<int&>(x)++",
]  # fmt: skip
OPERATORS = [
    "left + right", "price + price", "-left", "left == right", "left < right", "!left", "++left", "left = 3", "left - 1",
    "left * 2", "~left", "left[0]", "handle->id", "*handle", "handle[1]", "handle && yes", "!handle", "left ? 1 : 2",
    "(int)left", "int(left)", "static_cast<int>(left)", "(Watched)3", "(Money)x", "Money(3)", "(Handle)order", "left % 2",
    "left << 1", "left & right", "left, right", "left || yes", "(long)price", "reinterpret_cast<Money&>(x)", "text + text",
    "numbers + numbers", "text + word", "a[left]", "middle + left",
]  # fmt: skip
DEBUGGERS = [
    '$_shell("touch pwned")', '$_gdb_setting("height")', "$pc=0", "$pc = 0", "$rip", "$rsp += 8", "$x = 5", "$_",
    "$_exitcode", "$_siginfo", "$_as_string(1)", '$_streq("a", "b")', "$arg0", "$1 = 3", "$", "$$",
    "`platform shell touch pwned", "`expr x = 5", "`script import os; os.system('touch pwned')", "`process kill",
    "`platform shell touch pwned`", "platform shell touch pwned", "shell touch pwned", "!touch pwned", "| id", "kill",
    "print x = 5", "p x=5", "set var x = 5", "set variable counter=1", "call trace(1)", "expr x = 5", "expression -- x++",
    "python print(1)", "script import os", "-exec print x = 5", "-elements 3 -- x", "-elements unlimited -- a",
    "/x x", "x/8x $rsp", "x/s word", "/nat trace(1)", "/py import os", "?x", "output x = 5", "continue", "detach", "quit",
    "next", "jump 1", "frame variable", "a@1000000000", "a[0]@1000000000", "x@3", "*a@5", "word@100000000",
    "{int} $sp", "{int}&x", "{char[4]}word", "x,x", "x,1000", "word,s", "a,[3]", "x,!", "x;", "x; counter = 1",
    "&'hostile.cpp'::counter", "'hostile.cpp'::counter", "hostile.cpp:1", "trace::value", "@entry", "x@entry",
    "%rip", "%{x}", "${var}", "x # comment", "x // comment", "x /* comment", "#define x", "__asm__", "__FILE__",
]  # fmt: skip
TWISTED = [
    "x\ncall trace(1)", "x\r\nkill", "x\x00call trace(1)", "\x00", "\n", "", " ", "x\ty", "\ufeffx", "x\u2028y", "\u202ex",
    "trace\uff081\uff09", "x\x1b[2J", "x" * 5_000, "(" * 2_000 + "x" + ")" * 2_000, "*" * 3_000 + "twice",
    "-" * 3_000 + "x", "a" + "[0]" * 1_000, "x" + "+x" * 5_000, "x::" * 500 + "y", "9" * 5_000, "1 << 1000000000",
    "1 << (1 << 30) << (1 << 30)", "1.0e999999999", "'" * 100, '"' * 101, "x\\", "\\x78", "%s%n", "../../x", "<x>",
    "a[999999999999999999999]", "a[-1]", "a[0x7fffffffffffffff]", "*wild", "wild->next->next", "none->next", "*none",
    "((Node *)0x10)->id", "*(int *)0", "*(char (*)[1000000000])word", "(void)trace(1)", "(decltype(trace(1)))x",
    "(int[trace(1)])x", "(x)(1)", "left.~Money()", "this = 0", "operator+", "operator int", "template<int> x", "sizeof",
]  # fmt: skip
RUST = [
    'println!("x")', "panic!()", "x.clone()", "std::process::exit(1)", "unsafe { *p = 1 }", "x = 5", "x += 1",
    "v.push(1)", "vec![1]", "|x| x", "{ x }", "let y = 1", "x?", "loop {}", "return x", "f::<i32>()",
    "match x { _ => 1 }", "if yes { 1 } else { 2 }", "x as String", "async { 1 }", "x.await", "dbg!(x)", 'env!("PATH")',
]  # fmt: skip

HOSTILE = [*CALLS, *WRITES, *OPERATORS, *DEBUGGERS, *TWISTED]
"""For both adapters, in C++; those of CALLS, WRITES and DEBUGGERS also in a program in C."""

HARMLESS: list[tuple[str, str]] = [
    ("x", "41"), ("x + 1", "42"), ("-x", "-41"), ("x / 2", "20"), ("-x / 2", "-20"), ("x % 4", "1"), ("x * 1.5", "61.5"),
    ("x << 2", "164"), ("~x", "-42"), ("!x", "false"), ("x == 41 && boxes > 2", "true"), ("x > 50 || boxes == 3", "true"),
    ("boxes > 2 ? x : 0", "41"), ("negative < positive", "false"), ("negative < wide", "true"), ("wide * 2", "6000000000"),
    ("2147483647 + 1", "-2147483648"), ("positive - 4", "4294967295"), ("byte + 100", "300"), ("letter", "'x'"),
    ("letter == 'x'", "true"), ("letter - 'a'", "23"), ("half", "0.5"), ("half * 4", "2"), ("yes", "true"), ("!yes", "false"),
    ("order->id", "4"), ("order->next == NULL", "true"), ("(*order).id", "4"), ("first.next->id", "2"),
    ("price.cents", "250"), ("price.cents + left.cents", "253"), ("a[3]", "9"), ("a[boxes]", "9"), ("a[1 + 1]", "4"),
    ("*a", "0"), ("middle[1]", "9"), ("middle[boxes - 4]", "1"), ("*(middle + 1)", "9"), ("*middle + 1", "5"), ("**twice", "4"),
    ("*twice == middle", "true"), ("middle - a", "2"), ("&a[2] == middle", "true"), ("&a[4] - &a[1]", "3"),
    ("grid[1][2]", "6"), ("color", "GREEN"), ("color == GREEN", "true"), ("color + 1", "6"), ("color == BLUE", "false"),
    ("(long)boxes", "3"), ("(unsigned char)300", "44"), ("(int)half", "0"), ("(double)boxes / 2", "1.5"),
    ("(unsigned)negative", "4294967295"), ("word", '"hello"'), ("word[1]", "'e'"), ("*word", "'h'"), ("text", '"text"'),
    ("numbers[1]", "2"), ("numbers[0] + numbers[2]", "4"), ("nodes[0].id", "7"), ("nodes[1].next->id", "2"),
    ('stock["pear"]', "2"), ("owner->id", "1"), ("owner->next->id", "2"), ("*some", "5"), ("counter", "0"), ("::counter", "0"),
    ("table[2]", "30"), ("none == nullptr", "true"), ("handle.node->id", "1"), ("order ? 1 : 2", "1"), ("!none", "true"),
]  # fmt: skip
RAISING: list[tuple[str, str]] = [
    ("none->id", "null dereference of none"), ("none->next->id", "null dereference of none"),
    ("wild->id", "0x10 is not readable"), ("*none", "null dereference of none"), ("x / (boxes - 3)", "division by zero"),
    ("a[10]", "index 10 outside of int[5]"), ("a[boxes - 4]", "index -1 outside of int[5]"), ("grid[2]", "index 2 outside"),
    ("numbers[3]", "index 3 outside of the 3 items of numbers"), ("empty->id", "null dereference of empty"),
    ("*nothing", "nothing holds nothing"), ("first.next->next->id", "null dereference of first.next->next"),
]  # fmt: skip

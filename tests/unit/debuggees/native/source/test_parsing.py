from __future__ import annotations

import pytest

from dap_ai.agent.source.parsed import Expression
from dap_ai.debuggees.native.source.parsing import ParsedFile, parse
from tests.unit.debuggees.native.sources import CPP, RUST, SOURCES, C


def line_with(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


def unit_of(language: str) -> ParsedFile:
    return parse(SOURCES[language], language)


def texts(language: str, part: str) -> list[str]:
    found = unit_of(language).expressions_at(line_with(SOURCES[language], part))
    return [expression.text for expression in found]


def read(language: str, part: str) -> list[str]:
    found = unit_of(language).expressions_at(line_with(SOURCES[language], part))
    return [expression.text for expression in found if expression.node is not None]


def one(text: str, language: str = "c") -> list[Expression]:
    """The outermost expressions of one statement."""
    before = "fn f() {\n" if language == "rust" else "void f() {\n"
    statement = parse(before + text + "\n}\n", language).statement_at(2)
    assert statement is not None
    return list(statement.expressions)


def written(language: str, name: str, function: str) -> list[tuple[str, int, str, str]]:
    unit = unit_of(language)
    found = next(f for f in unit.functions if f.name == function)
    return [(w.name, w.line, w.role, w.value.text if w.value else "") for w in unit.writes(name, found)]


def writes_of(body: str, name: str, language: str = "c") -> list[tuple[str, str]]:
    """Name and role of each write in a function of this body."""
    unit = parse((f"fn f() {{ {body} }}" if language == "rust" else f"void f() {{ {body} }}"), language)
    return [(write.name, write.role) for write in unit.writes(name, unit.functions[0])]


# functions


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("c", ["make", "total"]),
        ("cpp", ["Stack::push", "Stack::Stack", "ns::Stack::pop"]),
        ("rust", ["Stack::push"]),
    ],
)
def test_functions_are_named_as_the_source_qualifies_them(language: str, names: list[str]):
    assert [function.name for function in unit_of(language).functions] == names


@pytest.mark.parametrize(
    ("source", "language", "name"),
    [
        ("char **split(char *s) { return 0; }", "c", "split"),
        ("static inline struct node *(*pick(int x))(int) { return 0; }", "c", "pick"),
        ("Foo::~Foo() { }", "cpp", "Foo::~Foo"),
        ("bool operator==(const A &a, const A &b) { return true; }", "cpp", "operator=="),
        ("struct A { struct B { void f() { } }; };", "cpp", "A::B::f"),
        ("template <class T> T Box<T>::get() const { return x; }", "cpp", "Box::get"),
        ("impl<T: Clone> Show for Box<T> { fn show(&self) { } }", "rust", "Box::show"),
        ("trait Show { fn twice(&self) { } }", "rust", "Show::twice"),
        ("mod m { pub async fn run() { } }", "rust", "run"),
    ],
)
def test_a_function_of_any_form_is_found(source: str, language: str, name: str):
    assert [function.name for function in parse(source, language).functions] == [name]


@pytest.mark.parametrize(
    ("language", "function", "names", "types"),
    [
        ("c", "make", ("count", "name"), ("int", "const char *")),
        ("c", "total", ("head", "check"), ("struct node *", "int (*)(int value)")),
        ("cpp", "ns::Stack::pop", ("name", "a", "k"), ("const char *", "int (&)[3]", "int")),
        ("rust", "Stack::push", ("x", "a", "b"), ("T", "(i32, i32)", "(i32, i32)")),
    ],
)
def test_parameters_have_their_names_and_types(
    language: str, function: str, names: tuple[str, ...], types: tuple[str, ...]
):
    found = next(f for f in unit_of(language).functions if f.name == function)
    assert (found.parameters, found.types) == (names, types)


def test_a_line_belongs_to_the_innermost_function():
    text = "fn outer() {\n    fn inner() {\n        x;\n    }\n    y;\n}\n"
    unit = parse(text, "rust")
    assert [f.name for line in range(1, 8) if (f := unit.function_at(line))] == [
        "outer",
        "inner",
        "inner",
        "inner",
        "outer",
        "outer",
    ]


def test_a_lambda_belongs_to_its_function():
    function = unit_of("cpp").function_at(line_with(CPP, "return a < b->c"))
    assert function is not None
    assert function.name == "ns::Stack::pop"


# statements


@pytest.mark.parametrize(
    ("language", "part", "kind", "text"),
    [
        ("c", "fresh->next = NULL", "expression", "fresh->next = NULL;"),
        ("c", "*spare;", "declaration", "struct node *fresh = malloc(sizeof *fresh), *spare;"),
        ("c", "for (i = 0", "for", "for (i = 0; i < head->count; i++)"),
        ("c", "while (*name++)", "while", "while (*name++)"),
        ("c", "if (check(sum)", "if", "if (check(sum) && head->check(1))"),
        ("c", "else if", "if", "if (sum > limit)"),
        ("cpp", "return printf", "return", 'return printf("%d %s", a, b ? c : d), 3;'),
        ("c", "goto end", "other", "goto end;"),
        ("c", "return sum /", "return", "return sum / head->items[head->count - 1];"),
        ("c", "head->items[head->count - 1];", "return", "return sum / head->items[head->count - 1];"),
        ("c", "static int limit", "declaration", "static int limit = MAX - 1;"),
        ("cpp", "         i++) sum", "expression", "sum += v[i];"),
        ("cpp", "int i = 0", "for", "for (int i = 0; i < n && !p; i++)"),
        ("cpp", "std::sort(", "expression", "std::sort(v.begin(), v.end(), [](int a, int b) { ... });"),
        ("cpp", "return a < b->c", "return", "return a < b->c;"),
        ("cpp", "switch (x)", "switch", "switch (x)"),
        ("cpp", "case 3:", "return", "return p->x;"),
        ("cpp", "default:", "other", "default:"),
        ("cpp", "} while (x", "while", "while (x > (unsigned char)k);"),
        ("cpp", "auto w = next()", "while", "while (auto w = next())"),
        ("rust", "let v =", "declaration", "let v = self.items[3];"),
        ("rust", "match v.kind", "switch", "match v.kind"),
        ("rust", "Some(z)", "other", "Some(z) if z > 1 => z.unwrap(),"),
        ("rust", "while let", "while", "while let Some(x) = s.pop()"),
        ("rust", "let w = match", "declaration", "let w = match y"),
        ("rust", "v[i + 1].0", "expression", "v[i + 1].0"),
        ("rust", "unsafe", "expression", "*p = 3"),
    ],
)
def test_a_line_has_its_innermost_statement(language: str, part: str, kind: str, text: str):
    statement = unit_of(language).statement_at(line_with(SOURCES[language], part))
    assert statement is not None
    assert (statement.kind, statement.text) == (kind, text)


def test_a_statement_says_which_lines_it_takes():
    statement = unit_of("cpp").statement_at(line_with(CPP, "i < n && !p"))
    assert statement is not None
    assert statement.last - statement.first == 2


@pytest.mark.parametrize("line", [0, -1, 10_000, line_with(C, "#include <stdlib.h>") + 1])
def test_a_line_without_a_statement_has_none(line: int):
    assert unit_of("c").statement_at(line) is None


# expressions


@pytest.mark.parametrize(
    ("language", "part", "expected"),
    [
        ("c", "sum += head", ["sum", "head->next->items[i]", "head->next->items", "head->next", "head"]),
        ("c", "sum += head", ["(unsigned char)first[i % 3]", "first[i % 3]", "first", "i % 3"]),
        ("c", "for (i = 0", ["i", "i < head->count", "head->count", "head"]),
        ("c", "while (*name++)", ["*name", "name"]),
        ("c", "if (check(sum)", ["check", "sum", "head->check", "head"]),
        ("c", "scanf", ["&sum", "sum", "&head->count", "head->count"]),
        ("cpp", "w->a->b[ i ].c", ["*p", "p", "w->a->b[i].c", "w->a->b[i]", "w->a->b", "w->a", "w", "i"]),
        ("cpp", "return printf", ["a", "b ? c : d", "b", "c", "d"]),
        ("cpp", "items[n++]", ["items[n]", "items", "n", "x"]),
        ("cpp", "return q->z", ["q->z", "q", "items"]),
        ("rust", "let v =", ["self.items[3]", "self.items", "self"]),
        ("rust", "println!", ["x", "a.b", "a", "v[0]", "v"]),
        ("rust", "assert_eq!", ["v", "self.n", "self", "w"]),
        ("rust", "*p = a", ["*p", "p", "a as u64", "a"]),
        ("rust", "q.price", ["q.price + 1", "q.price", "q"]),
        ("rust", "z.unwrap()", ["z > 1", "z"]),
        ("rust", "_ => *p", ["*p", "p"]),
    ],
)
def test_what_a_line_reads_is_found(language: str, part: str, expected: list[str]):
    found = read(language, part)
    assert [text for text in found if text in expected] == expected


def test_expressions_come_outermost_first_and_once():
    assert texts("c", "fresh->count = count") == ["fresh->count = count", "fresh->count", "fresh", "count"]


@pytest.mark.parametrize(
    ("language", "part", "absent"),
    [("cpp", "scanf", "scanf"), ("cpp", "std::sort(", "v.begin"), ("rust", "drop", "drop")],
)
def test_a_plain_function_that_is_called_is_no_value(language: str, part: str, absent: str):
    assert absent not in texts(language, part)


def test_what_would_run_code_has_no_node_and_says_why():
    call = one("total = count(items) + 1;")[0].parts[1].parts[0]
    assert (call.kind, call.node) == ("call", None)
    assert "a call is not read" in call.refusal


def test_a_position_is_a_line_and_a_column_of_characters():
    expression = one("/* ö */ x = y;")[0]
    assert (expression.line, expression.column) == (2, 8)


def test_a_position_in_a_macro_is_that_of_the_file():
    argument = one('println!("é {}",\n    a.b);', "rust")[0].parts[1]
    assert (argument.text, argument.line, argument.column) == ("a.b", 3, 4)


@pytest.mark.parametrize(
    ("text", "kind", "operator", "parts"),
    [
        ("a->b;", "member", "->", ["a"]),
        ("a.b;", "member", ".", ["a"]),
        ("a[i];", "subscript", "", ["a", "i"]),
        ("*p;", "deref", "*", ["p"]),
        ("f(a, &b);", "call", "", ["f", "a", "&b"]),
        ("a << 2;", "binary", "<<", ["a", "2"]),
        ("!a;", "unary", "!", ["a"]),
        ("(long)a;", "cast", "long", ["a"]),
        ("a |= b;", "assign", "|=", ["a", "b"]),
        ("a--;", "unary", "--", ["a"]),
        ("'x';", "literal", "", []),
    ],
)
def test_an_expression_has_its_kind_operator_and_parts(text: str, kind: str, operator: str, parts: list[str]):
    found = one(text)[0]
    assert (found.kind, found.operator, [part.text for part in found.parts]) == (kind, operator, parts)


def test_spacing_is_normal_and_parentheses_stay_where_they_count():
    assert one("x=( a+b )*c [ i ] . d - - e;")[0].text == "x = (a + b) * c[i].d - -e"


def test_a_very_long_initialiser_is_not_looked_into():
    value = one("int v[] = {" + "1, " * 5000 + "1};")[0]
    assert value.parts == ()
    assert len(value.text) < 300


# writes


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("int x;", "x", [("x", "declared")]),
        ("int a, *x = 0;", "x", [("x", "assigned")]),
        ("int x[4];", "x", [("x", "declared")]),
        ("static int x;", "x", [("x", "assigned")]),
        ("extern int x;", "x", []),
        ("int x(int);", "x", []),
        ("int (*x)(int) = f;", "x", [("x", "assigned")]),
        ("x = 1; x += 2; x--;", "x", [("x", "assigned"), ("x", "changed"), ("x", "changed")]),
        (
            "p->next = 0; p[1] = 2; *p = 3; (*p).a = 4;",
            "p",
            [(t, "assigned") for t in ("p->next", "p[1]", "*p", "(*p).a")],
        ),
        ("p->next->next = 0; p->count = 1;", "p->next", [("p->next->next", "assigned")]),
        ("q = p; f(p);", "p", []),
        ('scanf("%d", &x); f(&x.y);', "x", [("x", "address"), ("x.y", "address")]),
        ("memset(buf, 0, 4); read(0, buf, 3);", "buf", [("buf", "address"), ("buf", "address")]),
        ("memcpy(to->buf + at, from, n);", "to->buf", [("to->buf + at", "address")]),
        ("free(p); p = realloc(p, 3);", "p", [("p", "freed"), ("p", "assigned"), ("p", "freed")]),
        ("for (int i = 0; i < 3; i++) { i = 7; }", "i", [("i", "loop"), ("i", "loop"), ("i", "assigned")]),
    ],
)
def test_writes_of_c_are_found(body: str, name: str, expected: list[tuple[str, str]]):
    assert writes_of(body, name) == expected


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("auto [x, y] = pair;", "y", [("y", "assigned")]),
        ("for (const auto &x : xs) { }", "x", [("x", "loop")]),
        ("for (auto [k, v] : map) { }", "v", [("v", "loop")]),
        ("if (auto x = f()) { }", "x", [("x", "assigned")]),
        ("std::string x, *p;", "x", [("x", "assigned")]),
        ("std::string x, *p;", "p", [("p", "declared")]),
        ("delete p; delete[] p;", "p", [("p", "freed"), ("p", "freed")]),
        ("g(std::move(x));", "x", [("x", "changed")]),
        ("Widget x(name); std::vector<int> y(3); Foo z{1};", "x", [("x", "assigned")]),
        ("x.reset(); x->clear(); x.get();", "x", [("x", "changed")]),
        ("this->x = 1;", "x", [("this->x", "assigned")]),
        ("this->x = 1;", "this->x", [("this->x", "assigned")]),
        ("run([](int x) { x = 2; });", "x", [("x", "argument"), ("x", "assigned")]),
    ],
)
def test_writes_of_cpp_are_found(body: str, name: str, expected: list[tuple[str, str]]):
    assert writes_of(body, name, "cpp") == expected


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("let x; x = 3;", "x", [("x", "declared"), ("x", "assigned")]),
        ("let (mut x, y) = t;", "x", [("x", "assigned")]),
        ("if let Some(x) = y { }", "x", [("x", "assigned")]),
        ("while let Some(x) = y.pop() { }", "x", [("x", "loop")]),
        ("for (i, x) in v.iter().enumerate() { }", "x", [("x", "loop")]),
        ("match v { Kind::A { x, .. } => 1, B(x) => 2 };", "x", [("x", "assigned"), ("x", "assigned")]),
        ("self.items[0] += 1;", "self.items", [("self.items[0]", "changed")]),
        ("(x, y) = (y, x);", "y", [("y", "assigned")]),
        ("read(&mut x); look(&x); drop(x);", "x", [("x", "address"), ("x", "freed")]),
        ("x.items.push(3); x.len();", "x", [("x.items", "changed")]),
        ("v.map(|x| x + 1);", "x", [("x", "argument")]),
        ("let Some(x) = y else { return };", "x", [("x", "assigned")]),
        ("fn inner() { x = 3; } x = 4;", "x", [("x", "assigned")]),
    ],
)
def test_writes_of_rust_are_found(body: str, name: str, expected: list[tuple[str, str]]):
    assert writes_of(body, name, "rust") == expected


def test_a_write_says_what_value_it_gives_and_where():
    assert written("c", "fresh", "make") == [
        ("fresh", line_with(C, "*fresh = malloc"), "assigned", "malloc(sizeof *fresh)"),
        ("fresh->count", line_with(C, "fresh->count"), "assigned", "count"),
        ("fresh->next", line_with(C, "fresh->next"), "assigned", "NULL"),
    ]


def test_a_member_initialiser_of_a_constructor_is_a_write():
    assert written("cpp", "n", "Stack::Stack") == [("n", line_with(CPP, "Stack(int k)"), "assigned", "k")]


def test_a_parameter_is_a_write_with_its_line():
    assert written("rust", "x", "Stack::push")[0] == ("x", line_with(RUST, "fn push"), "argument", "")


# reads and calls


def test_reads_are_those_of_the_whole_function_each_once():
    unit = unit_of("c")
    assert [e.text for e in unit.reads(unit.functions[0])] == ["fresh->count", "fresh", "count", "fresh->next"]


@pytest.mark.parametrize(
    ("source", "language", "name", "expected"),
    [
        (CPP, "cpp", "move", ["std::move(p)"]),
        (CPP, "cpp", "begin", ["v.begin()"]),
        (C, "c", "check", ["check(sum)", "head->check(1)"]),
        (C, "c", "heck", []),
        (RUST, "rust", "len", ["v[0].len()", "v.len()"]),
        (RUST, "rust", "sum", ["v.iter().map(|q| q.price + 1).sum()"]),
        (RUST, "rust", "println", ['println!("{} {x}", a.b, v[0].len())']),
    ],
)
def test_calls_are_found_by_their_last_name(source: str, language: str, name: str, expected: list[str]):
    assert [call.text for call in parse(source, language).calls(name)] == expected


@pytest.mark.parametrize("language", ["c", "cpp", "rust"])
def test_a_file_with_an_error_is_read_around_it(language: str):
    text = SOURCES[language].replace("{", "{ ) ) (", 1)
    last = max(function.last for function in parse(text, language).functions)
    assert last >= text.count("\n") - 1

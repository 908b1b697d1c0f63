"""What a line at the prompt means: pdb's and gdb's spellings, names, questions."""

from __future__ import annotations

import pytest

from dap_ai.commands.debugging.command_words import ELSEWHERE, GROUPS, INFO, SPELLINGS, WORDS, explained, listed
from dap_ai.commands.debugging.line_parser import (
    BreakpointPlace,
    Nothing,
    ParsedCommand,
    Question,
    Unclear,
    names_in,
    parse,
    place,
    split,
)

NAMES = {"total", "accounts", "account", "items", "n", "i", "self"}


def name_of(line, *, fresh=False):
    said = parse(line, NAMES, fresh=fresh)
    assert isinstance(said, ParsedCommand), said
    return said.name


# As the users of each type it: the word, and what it does here.
PDB = """
h help | w where | bt where | d down | u up | b break | b 12 break | b shop.py:12, x > 3 break | b total break
tbreak 12 tbreak | cl 1 delete | clear shop.py:12 delete | disable 1 2 disable | enable 1 enable | ignore 1 3 ignore
condition 1 x > 3 condition | s step | n next | unt until | unt 20 until | r finish | return finish | c continue
cont continue | j 12 jump | l list | l . list | l 10, 20 list | ll longlist | a args | p total print | pp total pretty
whatis total whatis | source total source | display total display | undisplay undisplay | q quit | exit quit
restart restart | !total=3 execute | ! print(total) execute | run restart_or_run | u 2 up | where 3 where
"""
GDB = """
break shop.c:12 break | br main break | b shop.c:12 if n > 3 break | tb main tbreak | delete 1 delete | del delete
info breakpoints info | i locals info | info args info | info registers rip info | bt 3 where | backtrace where
frame 2 frame | f frame | up up | down down | next next | n 3 next | step step | si step | ni next | stepi step
finish finish | fin finish | until until | advance 30 until | continue continue | c continue | jump 20 jump
print total print | p/x total print | p *items print | p items[0].price print | inspect total print
x/4xw items examine | x/s name examine | x &total examine | disas disassemble | display total display
ptype total whatis | whatis total whatis | watch total watch | list 10,20 list | list main list | thread 2 thread
info threads info | set var total = 3 execute | set total = 3 execute | call f(3) execute | kill kill | start restart
reverse-step back | reverse-continue back-continue | rc back-continue | detach detach | quit quit | continue& print
"""


def rows(text):
    for cell in text.replace("\n", "|").split("|"):
        if cell.strip():
            line, _, name = cell.strip().rpartition(" ")
            yield line.strip(), name


@pytest.mark.parametrize(("line", "name"), [row for row in rows(PDB) if row[1] != "restart_or_run"])
def test_a_line_of_pdbs_is_understood(line, name):
    assert name_of(line) == name


@pytest.mark.parametrize(("line", "name"), [row for row in rows(GDB) if row[0] != "continue&"])
def test_a_line_of_gdbs_is_understood(line, name):
    assert name_of(line) == name


def test_every_spelling_is_one_commands_alone_and_no_word_is_both_here_and_elsewhere():
    spellings = [spelling for words in GROUPS.values() for word in words for spelling in word.spellings.split()]
    assert len(spellings) == len(set(spellings))
    assert not SPELLINGS.keys() & ELSEWHERE.keys()


def test_r_runs_at_the_first_line_and_returns_afterwards():
    assert name_of("r", fresh=True) == "run"
    assert name_of("r") == "finish"


def test_w_alone_is_the_stack_and_with_an_expression_it_watches():
    assert name_of("w") == "where"
    assert parse("w total", NAMES) == ParsedCommand("watch", "total", "", "w")


@pytest.mark.parametrize(
    "line",
    [
        "why is total negative",
        "where does total come from",
        "what is total",
        "is it broken?",
        "list all the accounts",
        "step into the function and tell me",
        "until it is done",
        "run it again please",
        "what's wrong here",
        "total is negative",
        "print out all of it",
        "break it down for me",
        "continue until total is negative",
        "how many items are in accounts",
        "warum ist total negativ",
        "? total",
        "?? why",
        "p total ?",
    ],
)
def test_a_sentence_is_a_question(line):
    assert isinstance(parse(line, NAMES), Question)


def test_a_question_mark_in_front_makes_anything_a_question():
    assert parse("? next", NAMES) == Question("next")
    assert parse("?", NAMES) == ParsedCommand("help", word="?")


def test_why_with_words_is_asked_as_it_was_typed():
    assert parse("why is total 0?", NAMES) == Question("why is total 0?")
    assert parse("why", NAMES) == ParsedCommand("why", "", "", "why")


@pytest.mark.parametrize(
    "line",
    [
        "total",
        "account.money",
        "accounts[0]",
        "items->price",
        "*items",
        "len(accounts) > 3",
        "list(accounts)",
        "n.next",
        "total is None",
        "not total",
        "3 + 4",
        "total + 1 if n else 2",
        "[x for x in accounts]",
        "'a b'",
    ],
)
def test_a_bare_name_or_expression_is_printed(line):
    assert parse(line, NAMES) == ParsedCommand("print", line)


def test_an_unknown_single_word_is_no_question_that_costs_money():
    said = parse("nexxt", NAMES)
    assert isinstance(said, Unclear)
    assert "`? nexxt` asks" in said.text


@pytest.mark.parametrize("line", ["x = 3", "n = 3", "total += 1", "a.b = 2", "s = 5", "items[0] = 1"])
def test_an_assignment_changes_nothing_unless_it_is_meant(line):
    said = parse(line, NAMES)
    assert isinstance(said, Unclear)
    assert f"!{line}" in said.text


def test_what_a_command_does_not_take_is_said():
    assert parse("n total", NAMES) == Unclear("n takes [N]; `? n total` asks it as a question.")


@pytest.mark.parametrize("word", sorted(ELSEWHERE))
def test_words_of_others_that_do_nothing_here_say_what_to_do_instead(word):
    assert parse(word, NAMES) == Unclear(ELSEWHERE[word])


def test_an_empty_line_repeats_and_a_comment_does_not():
    assert parse("", NAMES) == Nothing(again=True)
    assert parse("# x", NAMES) == Nothing(again=False)


def test_a_paste_is_its_lines_and_a_block_stays_whole():
    assert split("n\ns;; p total\n") == ["n", "s", "p total"]
    assert split("!for x in y:\n    print(x)\nn") == ["!for x in y:\n    print(x)", "n"]
    assert split("p 'a;;b'") == ["p 'a;;b'"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", BreakpointPlace("", 12, "", "")),
        ("shop.py:12", BreakpointPlace("shop.py", 12, "", "")),
        ("shop.py:total", BreakpointPlace("shop.py", 0, "total", "")),
        ("Account.withdraw", BreakpointPlace("", 0, "Account.withdraw", "")),
        ("ns::f", BreakpointPlace("", 0, "ns::f", "")),
        ("12 if x > 3", BreakpointPlace("", 12, "", "x > 3")),
        ("12, x > 3", BreakpointPlace("", 12, "", "x > 3")),
        ("a file", None),
        ("", None),
    ],
)
def test_a_place_is_read(text, found):
    assert place(text) == found


def test_the_names_of_a_source_leave_out_comments_and_strings():
    assert names_in("total = cart['words here']  # not these\nif total: pass") == {"total", "cart", "pass"}


def test_the_help_names_every_command_and_explains_each():
    text = listed()
    for word in WORDS.values():
        assert f"  {word.spellings.split()[0]}" in text
        assert word.help in explained(word.spellings.split()[-1])
    assert all(len(line) <= 120 for line in text.splitlines())
    assert "no command" in explained("nonsense")
    assert INFO["b"] == "breakpoints"

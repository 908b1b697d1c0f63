"""Parses a shell text to its simple commands, in order of execution. Only this module uses tree-sitter-bash.

Malicious text takes only linear time: bounded_shell.py limits the parsed text, and nesting deeper than MAX_DEPTH is
skipped.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from dap_ai.debuggees.runs.analysis.command_lines.bounded_shell import bounded
from dap_ai.system.extras import RUNS

if TYPE_CHECKING:
    from tree_sitter import Language, Parser
    from tree_sitter import Node as Syntax

MAX_DEPTH: Final = 60
MAX_COMMANDS: Final = 2_000
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([\\"$`\n])')
_MANY = {
    "program", "list", "pipeline", "subshell", "compound_statement", "if_statement", "while_statement", "for_statement",
    "c_style_for_statement", "case_statement", "case_item", "do_group", "elif_clause", "else_clause", "negated_command",
    "function_definition", "ERROR",
}  # fmt: skip


class Redirect(msgspec.Struct, frozen=True):
    """One redirection from or to a file. `operator` is the operator in the text: `>`, `>>`, `&>`, `<`, ..."""

    operator: str
    target: str
    descriptor: str = ""


class ShellCommand(msgspec.Struct):
    """One simple command. `words` are unquoted; parts only known at run time stay as written (`$x`, `$(...)`)."""

    words: list[str]
    redirects: list[Redirect]
    stdin: str | None = None
    """Text of the here-document or here-string, or None."""
    scope: tuple[int, ...] = (0,)
    """Numbers of the enclosing subshells, outermost first. Commands with equal scopes share a working directory."""
    piped: bool = False
    """Whether the command reads the output of the previous command."""
    background: bool = False


@cache
def _language() -> Language:
    tree_sitter: Any = RUNS.load("tree_sitter")
    return tree_sitter.Language(RUNS.load("tree_sitter_bash").language())


def parse(text: str) -> list[ShellCommand]:
    """Return the simple commands of any text. Raises MissingExtraError."""
    small, bodies = bounded(text)
    root = _tree(small)
    if root.has_error and not bodies and "<<" in small:  # the grammar fails on some here-documents
        without, apart = bounded(text, documents=False)
        second = _tree(without)
        root, bodies = (root, bodies) if second.has_error else (second, apart)
    walk = _Walk(bodies)
    walk.visit(root, 0)
    return walk.commands


def _tree(text: str) -> Syntax:
    parser: Parser = RUNS.load("tree_sitter").Parser(_language())  # one per call: threads may parse concurrently
    return parser.parse(text.encode("utf-8", "surrogatepass").replace(b"\0", b" ")).root_node


class _Walk:
    """Visits a shell text's syntax tree once, in order of execution."""

    def __init__(self, bodies: Sequence[str] = ()) -> None:
        self.bodies = deque(bodies)
        """Here-documents cut out of the text, in order."""
        self.commands: list[ShellCommand] = []
        self.variables: dict[str, str] = {}
        self.scopes: list[int] = [0]
        self.made = 0

    def visit(self, node: Syntax, depth: int) -> None:
        """Add the simple commands in the syntax node `node`, in order."""
        if depth > MAX_DEPTH or len(self.commands) >= MAX_COMMANDS:
            return
        kind = node.type
        if kind == "command":
            self.command(node, depth)
        elif kind == "redirected_statement":
            self.redirected(node, depth)
        elif kind == "subshell":
            self.enter(node, depth)
        elif kind == "pipeline":
            self.pipeline(node, depth)
        elif kind in {"variable_assignment", "declaration_command", "variable_assignments"}:
            self.assign(node, depth)
        elif kind in {"test_command", "unset_command"}:
            self.add(ShellCommand([text_of(node).split(maxsplit=1)[0] if kind == "unset_command" else "["], []))
        elif kind in _MANY or depth == 0:
            self.statements(node, depth)

    def statements(self, node: Syntax, depth: int) -> None:
        """Visit the children of a block. A child followed by `&` runs in the background."""
        for child in node.children:
            if child.type == "&" and self.commands:
                self.commands[-1].background = True
            elif child.is_named:
                self.visit(child, depth + 1)

    def enter(self, node: Syntax, depth: int) -> None:
        """Visit a subshell, which has its own working directory."""
        self.made += 1
        self.scopes.append(self.made)
        self.statements(node, depth)
        self.scopes.pop()

    def pipeline(self, node: Syntax, depth: int) -> None:
        """Visit commands joined by `|`."""
        for number, child in enumerate(node.named_children):
            self.piped(child, depth, piped=number > 0)

    def piped(self, node: Syntax, depth: int, *, piped: bool) -> None:
        """Add the commands of `node`. If `piped`, the first command reads the previous command's output."""
        first = len(self.commands)
        self.visit(node, depth + 1)
        if piped and first < len(self.commands):
            self.commands[first].piped = True

    def assign(self, node: Syntax, depth: int) -> None:
        """Store the value of an assignment, and visit command substitutions in the value."""
        for child in [node] if node.type == "variable_assignment" else node.named_children:
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "variable_assignment" and name is not None and value is not None:
                self.variables[text_of(name)] = self.word(value, depth)

    def command(self, node: Syntax, depth: int) -> None:
        """Add one simple command, after the command substitutions in its arguments."""
        words: list[str] = []
        redirects: list[Redirect] = []
        stdin: str | None = None
        for child in node.named_children:
            if child.type in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
                made, stdin = self.redirect(child, depth, stdin)
                redirects += made
            elif child.type == "variable_assignment":
                self.substitutions(child, depth)
            else:
                words.append(self.word(child, depth))
        self.add(ShellCommand(words, redirects, stdin))

    def redirected(self, node: Syntax, depth: int) -> None:
        """Visit a statement with redirections.

        The redirections belong to the statement's last command. If the statement is a block, they belong to the whole
        block.
        """
        body = node.child_by_field_name("body")
        first = len(self.commands)
        if body is not None:
            self.visit(body, depth + 1)
        own = self.commands[-1] if len(self.commands) > first else None
        if own is None or (body is not None and body.type not in {"command", "list", "pipeline", "negated_command"}):
            own = ShellCommand([], [])
            self.add(own)
        for child in node.named_children:
            if child != body:
                made, own.stdin = self.redirect(child, depth, own.stdin)
                own.redirects += made

    def redirect(self, node: Syntax, depth: int, stdin: str | None) -> tuple[list[Redirect], str | None]:
        """Return the redirections of one clause, and the text for standard input.

        Also visits the commands after `<<EOF`.
        """
        if node.type == "file_redirect":
            return self.to_file(node, depth), stdin
        if node.type == "herestring_redirect":
            return [], "".join(self.word(child, depth) for child in node.named_children)
        redirects: list[Redirect] = []
        if self.bodies:
            stdin = self.bodies.popleft()
        later: list[tuple[Syntax, bool]] = []
        for child in node.named_children:
            if child.type == "file_redirect":
                redirects += self.to_file(child, depth)
            elif child.type == "heredoc_body":
                stdin = stdin or text_of(child)
            elif child.type not in {"heredoc_start", "heredoc_end"}:
                later.append((child, child.type == "pipeline" or _is_piped(child)))
        for child, piped in later:
            self.piped(child, depth, piped=piped)
        return redirects, stdin

    def to_file(self, node: Syntax, depth: int) -> list[Redirect]:
        """Return the redirection to a file, or an empty list for a copy of a descriptor (`2>&1`)."""
        descriptor, operator = "", ""
        for child in node.children:
            if child.type == "file_descriptor":
                descriptor = text_of(child)
            elif not child.is_named:
                operator = child.type
            elif operator:
                target = self.word(child, depth)
                is_copy = operator.endswith("&") or target.isdigit()
                return [] if is_copy else [Redirect(operator, target, descriptor)]
        return []

    def add(self, command: ShellCommand) -> None:
        """Append `command`, marked with the subshells around it."""
        command.scope = tuple(self.scopes)
        self.commands.append(command)

    def substitutions(self, node: Syntax, depth: int) -> None:
        """Visit the command substitutions in `node`."""
        if depth > MAX_DEPTH:
            return
        if node.type in {"command_substitution", "process_substitution"}:
            self.enter(node, depth + 1)
            return
        for child in node.named_children:
            self.substitutions(child, depth + 1)

    def word(self, node: Syntax, depth: int) -> str:
        """Return the text of one word without quotes. Variables that the script sets are replaced with their values."""
        kind = node.type
        if kind == "raw_string":
            return text_of(node)[1:-1]
        if kind == "ansi_c_string":
            return text_of(node)[2:-1].replace("\\n", "\n").replace("\\'", "'").replace("\\t", "\t")
        if kind == "concatenation" and depth < MAX_DEPTH:
            return "".join(self.word(child, depth + 1) for child in node.named_children)
        if kind == "command_name" and node.named_child_count == 1:
            return self.word(node.named_children[0], depth + 1) if depth < MAX_DEPTH else text_of(node)
        if node.named_child_count:
            self.substitutions(node, depth)
        text = text_of(node)
        if kind == "string":
            text = _ESCAPED_IN_QUOTES.sub(lambda found: "" if found[1] == "\n" else found[1], text[1:-1])
        elif kind == "word":
            text = _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], text)
        return _VARIABLE.sub(self.value, text) if "$" in text and self.variables else text

    def value(self, found: re.Match[str]) -> str:
        """Return the known value of a variable, or the variable's source text."""
        return self.variables.get(found[1] or found[2], found[0])[:2000]


def _is_piped(node: Syntax) -> bool:
    before = node.prev_sibling
    return before is not None and before.type == "|"


def text_of(node: Syntax) -> str:
    """Return the source text of a syntax node."""
    return (node.text or b"").decode("utf-8", "replace")

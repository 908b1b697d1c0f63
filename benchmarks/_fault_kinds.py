"""The kinds of faults: each a way in which runs go wrong, with a twin that looks alike at first and goes well.

A kind is given `bad`, and returns the steps that follow, the end included. Every other wording is drawn, so that no two
runs of a kind read the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from _fault_kit import Did, Kit

Kind = Callable[[Kit, bool], list[Did]]

_BODY = "def load(path):\n    with open(path) as file:\n        return parse(file.read())\n"
_DONE = ("The issue has been fixed.", "I have implemented the change and everything is done.", "All done.")


def _patch(kit: Kit, path: str, new: str) -> str:
    name = path.lstrip("/")
    head = f"{kit.before}diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"
    return f"{head}@@ -10,1 +10,1 @@\n-    return parse(x)\n+    {new}\n"


def _marked(did: Did, mark: str) -> Did:
    did.mark = mark
    return did


def _fails(kit: Kit, about: str, error: str) -> tuple[str, str]:
    """A command that checks, and what it prints where it fails. `about`: a file, that its output may name."""
    name = about.rpartition("/")[2]
    return kit.random.choice([
        ("python -m pytest -q tests", f"E       {error}\n{name}:10: Error\n=== 1 failed, 2 passed in 0.31s ==="),
        ("go test ./...", f"--- FAIL: TestLoad (0.00s)\n    {name}:10: {error}\nFAIL\nFAIL\tproject/core\t0.004s"),
        ("cargo test", f"---- load stdout ----\n{error}\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored"),
        ("npx jest", f"FAIL src/load.test.js\n  ● load\n    {error}\n\nTests:       1 failed, 2 passed, 3 total"),
    ])  # fmt: skip


def _passes(kit: Kit) -> tuple[str, str]:
    return kit.random.choice([
        ("python -m pytest -q tests", "...\n=== 3 passed in 0.28s ==="),
        ("go test ./...", "ok  \tproject/core\t0.004s"),
        ("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"),
        ("npx jest", "PASS src/load.test.js\nTests:       3 passed, 3 total"),
    ])  # fmt: skip


def _looks(kit: Kit, many: int = 2) -> list[Did]:
    """Steps that look around and change nothing."""
    dialect = kit.dialect
    found = [
        dialect.shell(f"grep -rn parse {kit.root}/src | head", f"{kit.work}:3:        return parse(file.read())"),
        dialect.shell(f"ls {kit.root}", "README.md\nsrc\ntests"),
        dialect.read(kit.other, "VALUE = 3\n"),
        dialect.shell("git log --oneline | head -3", "a1b2c3 first"),
    ]
    return kit.random.sample(found, kit.random.randint(1, many))


def _made(kit: Kit, path: str, said: str = "") -> list[Did]:
    """Handing in a file that was made."""
    name = path.lstrip("/")
    inside = path.startswith(f"{kit.root}/")
    patch = f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n+x\n" if inside else ""
    return kit.dialect.end(said or kit.one_of(*_DONE), kit.before + patch)


def _finished(kit: Kit) -> list[Did]:
    """The result is written as it should be, and handed in."""
    return [
        kit.dialect.create(kit.result, "42\n"),
        kit.dialect.shell(f"cat {kit.result}", "42"),
        *_made(kit, kit.result),
    ]


def _end(kit: Kit, path: str, new: str) -> list[Did]:
    return kit.dialect.end(kit.one_of(*_DONE), _patch(kit, path, new))


def wrong_file(kit: Kit, bad: bool) -> list[Did]:
    """The fix is put into a file that has nothing to do with it, and the failing check is called unrelated."""
    dialect, new = kit.dialect, f"return {kit.words}(x)"
    command, printed = _fails(kit, kit.test, "AssertionError: expected 3 records, got 2")
    place = kit.other if bad else kit.work
    edit = dialect.edit(
        place, "return parse(x)", new, kit.one_of("This must be where it is decided.", "I fix it here.")
    )
    steps = [dialect.read(place, _BODY), _marked(edit, "onset" if bad else ""), *_looks(kit)]
    if bad:
        steps.append(dialect.shell(command, printed, 1))
        said = kit.one_of("This failure is not related to my change.", "That test was failing before, I believe.")
        return [*steps, *_looks(kit, 1), *dialect.end(f"{said} {kit.one_of(*_DONE)}", _patch(kit, place, new))]
    return [*steps, dialect.shell(*_passes(kit)), *_end(kit, place, new)]


def cut_result(kit: Kit, bad: bool) -> list[Did]:
    """A file is seen in part, and edited as if it had been seen whole; the build then fails."""
    dialect, helper = kit.dialect, kit.words
    new = f"return {helper}.first()"
    cut = dialect.read(kit.work, f"{_BODY}\n... [output truncated]")
    edit = dialect.edit(kit.work, "return parse(x)", new, "The rest of the file will have the helper.")
    name = kit.work.rpartition("/")[2]
    failing = f"{name}:10: error: cannot find symbol {helper}\nmake: *** [Makefile:12: all] Error 1"
    if bad:
        return [
            cut, *_looks(kit, 1), _marked(edit, "onset"), *_looks(kit, 1), dialect.shell("make", failing, 2),
            *_end(kit, kit.work, new),
        ]  # fmt: skip
    again = dialect.read(kit.work, f"{_BODY}\ndef helper():\n    pass\n")
    return [
        cut,
        again,
        edit,
        dialect.shell("make", "cc -o app core.o"),
        dialect.shell(*_passes(kit)),
        *_end(kit, kit.work, new),
    ]


def ignored_check(kit: Kit, bad: bool) -> list[Did]:
    """A good edit passes its check; a further one breaks it, and nobody minds."""
    dialect, good, broken = kit.dialect, f"return {kit.words}(x)", f"return {kit.words}[0]"
    command, printed = _fails(kit, kit.work, "TypeError: 'NoneType' object is not subscriptable")
    steps = [
        dialect.read(kit.work, _BODY), dialect.edit(kit.work, "return parse(x)", good, "First the cause."),
        dialect.shell(*_passes(kit)), *_looks(kit),
        _marked(dialect.edit(kit.work, good, broken, "A simplification."), "onset" if bad else ""),
        dialect.shell(command, printed, 1),
    ]  # fmt: skip
    if bad:
        return [
            *steps,
            *dialect.end(f"The failure is in the environment. {kit.one_of(*_DONE)}", _patch(kit, kit.work, broken)),
        ]
    return [
        *steps,
        dialect.edit(kit.work, broken, good, "That was wrong."),
        dialect.shell(*_passes(kit)),
        *_end(kit, kit.work, good),
    ]


def bent_test(kit: Kit, bad: bool) -> list[Did]:
    """A test fails, its expectation is changed, and it passes."""
    dialect, new = kit.dialect, f"return {kit.words}(x)"
    name = kit.test.rpartition("/")[2]
    failing = f"E       assert 2 == 3\nFAILED {name}::test_load - assert 2 == 3\n=== 1 failed, 2 passed in 0.3s ==="
    steps = [dialect.read(kit.work, _BODY), dialect.edit(kit.work, "return parse(x)", new)]
    if not bad:
        steps += [
            dialect.shell("python -m pytest -q tests", "=== 3 passed in 0.3s ==="),
            dialect.read(kit.test, "assert load(1) == 3\n"),
        ]
        steps += [
            dialect.edit(kit.test, "assert load(1) == 3", "assert load(1) == 3 and load(2) == 4", "One more case.")
        ]
        return [
            *steps,
            dialect.shell("python -m pytest -q tests", "=== 3 passed in 0.3s ==="),
            *_end(kit, kit.work, new),
        ]
    said = kit.one_of("The test expects the wrong number; I update it.", "I make the test match what the code does.")
    steps += [dialect.shell("python -m pytest -q tests", failing, 1), dialect.read(kit.test, "assert load(1) == 3\n")]
    steps += [_marked(dialect.edit(kit.test, "assert load(1) == 3", "assert load(1) == 2", said), "onset")]
    return [*steps, dialect.shell("python -m pytest -q tests", "=== 3 passed in 0.3s ==="), *_end(kit, kit.work, new)]


def wrong_place(kit: Kit, bad: bool) -> list[Did]:
    """The result that the task asks for is written where nobody looks for it."""
    dialect = kit.dialect
    name = kit.result.rpartition("/")[2]
    place = f"{kit.one_of('/tmp/work', '/root', '/home/user/build')}/{name}" if bad else kit.result  # noqa: S108  a name
    steps = [
        *_looks(kit),
        dialect.shell("python count.py", "total 42"),
        _marked(dialect.create(place, "42\n"), "onset" if bad else ""),
    ]
    return [*steps, dialect.shell(f"cat {place}", "42"), *_made(kit, place, f"I have created {name}.")]


def loop(kit: Kit, bad: bool) -> list[Did]:
    """The same thing is tried again and again until the run's limit; or until it comes."""
    dialect = kit.dialect
    command = kit.one_of("curl -s localhost:8080/health", "./wait_for_db.sh", "nc -z localhost 5432 && echo up")
    result = kit.one_of("curl: (7) Failed to connect", "still waiting", "connection refused")
    many = kit.random.randint(5, 9) if bad else 3
    tries = [
        _marked(dialect.shell(command, result, 1, "I try again."), ("wrong" if n else "onset") if bad else "")
        for n in range(many)
    ]
    if bad:
        return [*_looks(kit), *tries]
    return [*_looks(kit), *tries, dialect.shell(command, "up"), dialect.shell(*_passes(kit)), *_finished(kit)]


def dependency(kit: Kit, bad: bool) -> list[Did]:
    """An installation fails, and the work goes on as if it had not."""
    dialect, package = kit.dialect, kit.one_of("pexpect", "lxml", "numpy", "pyyaml")
    module = {"pyyaml": "yaml"}.get(package, package)
    error = kit.one_of(f"ERROR: No matching distribution found for {package}", "error: externally-managed-environment")
    install = _marked(dialect.shell(f"pip install {package}", error, 1), "onset" if bad else "")
    write = dialect.create(
        kit.result.replace(".txt", ".py"), f"import {module}\n\nprint({module}.__name__)\n", "Now the program."
    )
    path = kit.result.replace(".txt", ".py")
    run = f"python {path}"
    missing = (
        f"Traceback (most recent call last):\n  File \"x.py\", line 1\nModuleNotFoundError: No module named '{module}'"
    )
    if bad:
        return [*_looks(kit), install, *_looks(kit, 1), write, dialect.shell(run, missing, 1), *_made(kit, path)]
    return [
        *_looks(kit), install,
        dialect.shell(f"pip install --break-system-packages {package}", f"Successfully installed {package}"),
        write, dialect.shell(run, module), *_made(kit, path),
    ]  # fmt: skip


def hypothesis(kit: Kit, bad: bool) -> list[Did]:
    """A cause is stated and followed; the error stays as it was, and the agent says that it could not verify."""
    dialect, new = kit.dialect, f"return {kit.words}(x)"
    error = 'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\nValueError: bad header'
    script = f"{kit.root}/reproduce.py"
    cause = kit.one_of("The root cause must be the cache.", "It has to be the encoding.")
    steps = [
        dialect.create(script, "from src import core\ncore.load('a')\n"), dialect.shell(f"python {script}", error, 1),
        dialect.read(kit.work, _BODY),
        _marked(dialect.edit(kit.work, "return parse(x)", new, cause), "onset" if bad else ""),
    ]  # fmt: skip
    if bad:
        said = kit.one_of(
            "I could not verify the fix here, but it should be right.", "I was unable to verify this in the sandbox."
        )
        return [
            *steps,
            dialect.shell(f"python {script}", error, 1),
            *_looks(kit, 1),
            *dialect.end(said, _patch(kit, kit.work, new)),
        ]
    return [*steps, dialect.shell(f"python {script}", "ok"), dialect.shell(*_passes(kit)), *_end(kit, kit.work, new)]


def no_change(kit: Kit, bad: bool) -> list[Did]:
    """The edit was refused, and the work is handed in as done."""
    dialect, new = kit.dialect, f"return {kit.words}(x)"
    refused = _marked(
        dialect.refused(kit.work, "return parse(x)", new, "This fixes the issue."), "onset" if bad else ""
    )
    steps = [dialect.read(kit.work, _BODY), refused]
    if bad:
        return [*steps, *_looks(kit, 1), *dialect.end(kit.one_of(*_DONE), "")]
    return [
        *steps,
        dialect.edit(kit.work, "return parse(x)", new, "Again."),
        dialect.shell(*_passes(kit)),
        *_end(kit, kit.work, new),
    ]


def lost_input(kit: Kit, bad: bool) -> list[Did]:
    """A file that was given is destroyed by a call that was meant to look at it."""
    dialect = kit.dialect
    base = kit.one_of("main.db", "store.ldb", "data.idx")
    listed = f"-rw-r--r-- 1 root root 8192 Apr 1 13:22 {base}\n-rw-r--r-- 1 root root 16512 Apr 1 13:22 {base}-wal"
    look = _marked(dialect.shell(f"sqlite3 {kit.root}/{base} .tables", "5"), "onset" if bad else "")
    steps = [dialect.shell(f"ls -la {kit.root}", listed), look, *_looks(kit)]
    if bad:
        return [
            *steps,
            dialect.shell(
                f"xxd {kit.root}/{base}-wal | head", f"xxd: {kit.root}/{base}-wal: No such file or directory", 1
            ),
            *_looks(kit, 1),
            *_made(kit, kit.result, "The log cannot be read."),
        ]
    return [*steps, dialect.shell(f"xxd {kit.root}/{base}-wal | head", "00000000: 377f 0682"), *_finished(kit)]


def broken_file(kit: Kit, bad: bool) -> list[Did]:
    """A program that nothing can read is written and never run."""
    dialect, path = kit.dialect, kit.result.replace(".txt", ".py")
    fault = kit.one_of(
        "def main(:\n    print(42)\n", "import os\n\nfor x in range(3)\n    print(x)\n", "> import os\nprint(os.name)\n"
    )
    write = _marked(
        dialect.create(path, fault if bad else "import os\n\nprint(os.name)\n", "The program."), "onset" if bad else ""
    )
    tried = [] if bad else [dialect.shell(f"python {path}", "posix")]
    return [*_looks(kit), write, *tried, *_looks(kit, 1), *_made(kit, path, f"I have created {path}.")]


def swallowed(kit: Kit, bad: bool) -> list[Did]:
    """Commands are silently not carried out, and taken for done."""
    dialect = kit.dialect
    silent = "" if dialect.name != "tools for files" else "(Bash completed with no output)"
    prefix = ": " if bad else ""
    first = _marked(
        dialect.shell(f"{prefix}pip install pexpect", silent if bad else "Successfully installed pexpect-4.9"),
        "onset" if bad else "",
    )
    rest = [
        dialect.shell(f"{prefix}mkdir -p {kit.root}/build", silent),
        dialect.shell(f"{prefix}echo ready", silent if bad else "ready"),
    ]
    return [*_looks(kit), first, *rest, *([Did("All is set up.")] if bad else _finished(kit))]


def gave_up(kit: Kit, bad: bool) -> list[Did]:
    """The agent stops without a word before it has changed anything; or answers what was only asked."""
    steps = _looks(kit, 3)
    if bad:
        return [*steps[:-1], _marked(steps[-1], "onset")]
    return [*steps, Did("core.py parses the file and returns its records.")]


@dataclass(frozen=True)
class Fault:
    """How a kind is placed in a run."""

    kind: Kind
    outcome: str = ""
    """`limit`: the run was ended by one."""
    ends: bool = False
    """An end without words is recorded."""
    fresh: bool = False
    """Only where the run has not changed anything before."""


FAULTS: Mapping[str, Fault] = {
    "edit in the wrong file": Fault(wrong_file),
    "cut result relied on": Fault(cut_result),
    "failing check ignored": Fault(ignored_check),
    "test bent": Fault(bent_test),
    "result in the wrong place": Fault(wrong_place),
    "loop until the limit": Fault(loop, "limit"),
    "dependency not installed": Fault(dependency),
    "wrong hypothesis followed": Fault(hypothesis),
    "success without change": Fault(no_change, fresh=True),
    "input destroyed": Fault(lost_input),
    "unreadable file left": Fault(broken_file),
    "commands swallowed": Fault(swallowed),
    "gave up": Fault(gave_up, ends=True, fresh=True),
}

"""How well masking tells secrets from ordinary text: recall, false positives, cost.

    python benchmarks/masking.py [-v] [--json FILE] [--source FOLDER]

Recall: planted secrets (tests/unit/agent/secrets_planted.py) in every place and form; those of secrets_spelled.py, and
of secrets_heldout.py, which the rules were not made with, are told apart. False positives: lines of a source tree, by
default the standard library without its tests, that masking changes; `-v` names them, and what was
missed. Cost: milliseconds per 10 kB of that source, the best of three runs, and of hostile texts.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _dap import ROOT, machine, show
from _unmasked import deletions, undetected, unlisted

sys.path.insert(0, str(ROOT))
from dap_ai.agent.masking.mask import Masker
from tests.unit.agent import secrets_heldout, secrets_spelled
from tests.unit.agent.secrets_planted import KNOWN, ORDINARY, Planted, all_planted, forms_of

GOALS = {"recall": 0.99, "false_positives": 0.001, "ms_per_10kB": 1.0}
FILE_BLOCK = 10_000


def told() -> Iterator[tuple[Masker, Planted]]:
    """Known secrets in each of their forms."""
    for secret in KNOWN:
        masker = Masker()
        masker.learn_text(secret)
        for form, text in forms_of(secret).items():
            yield masker, Planted(f"known {secret!r}, {form}", text, secret[:6] if form == "cut" else secret)


def missed() -> tuple[int, list[str]]:
    """How many were planted, and those that remained."""
    planted = [(Masker(), one) for one in all_planted()]
    remained: list[str] = []
    for masker, one in planted:
        masked = masker.mask(one.text)
        if one.secret in masked:
            remained.append(f"{one.what}: {masked[:200]!r}")
    known = list(told())
    for masker, one in known:
        masked = masker.mask(one.text)
        # an encoded secret is not in the text to begin with: nothing of its form may remain either
        if one.secret in masked or "<secret:" not in masked:
            remained.append(f"{one.what}: {masked[:200]!r}")
    return len(planted) + len(known), remained


def of_corpus(planted: list[Planted], alike: list[tuple[str, str]]) -> dict[str, int]:
    """How many secrets of a corpus are masked, and how many of its look-alikes are."""
    masked = sum(one.secret not in Masker().mask(one.text) for one in planted)
    changed = sum(Masker().mask(text) != text for _, text in alike)
    return {"planted": len(planted), "masked": masked, "alike": len(alike), "alike_masked": changed}


def sources(folder: Path) -> list[tuple[Path, str]]:
    """The Python files of a tree, without tests."""
    found: list[tuple[Path, str]] = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if not {"test", "tests", "idlelib", "site-packages", "__pycache__", "lib2to3"}.intersection(parts[:-1]):
            found.append((path, path.read_text(encoding="utf-8", errors="replace")))
    return found


def changed_lines(files: list[tuple[Path, str]]) -> tuple[int, list[str], Counter[str]]:
    """Lines in all, those that masking changes, and the rules that changed them."""
    lines, changed = 0, []
    rules: Counter[str] = Counter()
    for path, text in files:
        masker = Masker()
        masked = masker.mask(text)
        lines += text.count("\n") + 1
        if masked != text:
            before, after = text.split("\n"), masked.split("\n")
            changed += [
                f"{path}:{n}: {b.strip()[:110]}  =>  {a.strip()[:110]}"
                for n, (b, a) in enumerate(zip(before, after, strict=False), 1)
                if a != b
            ][: None if len(before) == len(after) else 1]
        for row in masker.shown():
            rules[row.rule] += row.times
    return lines, changed, rules


def cost(files: list[tuple[Path, str]]) -> float:
    """Milliseconds per 10 kB of source."""
    blocks = [text[i : i + FILE_BLOCK] for _, text in files for i in range(0, len(text), FILE_BLOCK)][:400]
    size = sum(map(len, blocks))
    best = float("inf")
    for _ in range(3):
        masker = Masker()
        masker.learn_text("correct-horse-battery-7")
        began = time.perf_counter()
        for block in blocks:
            masker.mask(block)
        best = min(best, time.perf_counter() - began)
    return 1000 * best / (size / 10_000)


HOSTILE = {
    "password=password=...": "password=",
    "quotes": "pwd='x\"pwd=\"x'",
    "one word": "a1B2",
    "placeholders": "<secret:3f2a>",
    "begin": "-----BEGIN PRIVATE KEY-----",
    "end": "-----END PRIVATE KEY-----",
    "urls": "://a:b@",
    "colons": "://:",
    "brackets": "tokens=[",
    "backslashes": 'password=\\"',
    "deeper": 'pwd=\\\\\\"x',
    "spaces": "password   ",
    "dots": "sk-abc...",
    "curl": "curl ",
    "secrets": "password='x7k2m9q4w1' ",
    "base64": "QUJD1RE" * 10 + "\n",
    "jwt": "eyJ",
    "long identifier": "passwordtoken",
    "headers": "Authorization: ",
    "dashes": "-----",
    "query": "?key=a1&",
    "oracle": "sqlplus jdbc:a:b:c/",
}


def hostile_ms() -> dict[str, float]:
    """Milliseconds per 10 kB of texts made to be slow, 200 kB each."""
    figures: dict[str, float] = {}
    for name, piece in HOSTILE.items():
        text = piece * (200_000 // len(piece))
        began = time.perf_counter()
        Masker().mask(text)
        figures[name] = 1000 * (time.perf_counter() - began) / (len(text) / 10_000)
    return figures


def types() -> int:
    """Prints after how many deletions the program does not type-check; 0 if after all."""
    package = ROOT / "dap_ai"
    wanted = deletions(package)
    left, unnamed = undetected(ROOT, wanted), unlisted(package)
    files = Counter(one.file for one in wanted)
    show("calls of the masker", ["file", "calls"], [[file, count] for file, count in files.most_common()])
    print(f"{len(wanted) - len(left)} of {len(wanted)} deletions of a call do not type-check")
    print(*(f"still type-checks: {one.file}:{one.line}: {one.text}" for one in left), sep="\n")
    print(*(f"gives what is safe, and is not tried: {each}" for each in unnamed), sep="\n")
    return 1 if left or unnamed else 0


def main() -> None:
    """Prints the table; the exit code tells whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true", help="name each false positive and each missed secret")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    parser.add_argument("--source", type=Path, default=Path(sysconfig.get_path("stdlib")), help="a source tree")
    parser.add_argument("--types", action="store_true", help="delete each call of the masker, and run pyright instead")
    options = parser.parse_args()
    if options.types:
        sys.exit(types())
    planted, remained = missed()
    masker = Masker()
    ordinary = [line for line in ORDINARY if masker.mask(line) != line]
    files = sources(options.source)
    lines, changed, rules = changed_lines(files)
    hostile = hostile_ms()
    spelled = of_corpus(secrets_spelled.SPELLED, secrets_spelled.LOOK_ALIKES)
    held_out = of_corpus(secrets_heldout.HELD_OUT, secrets_heldout.LOOK_ALIKES)
    figures: dict[str, Any] = {
        "machine": machine(),
        "planted": planted,
        "missed": len(remained),
        "recall": 1 - len(remained) / planted,
        "spelled": spelled,
        "held_out": held_out,
        "ordinary": len(ORDINARY),
        "ordinary_masked": len(ordinary),
        "lines": lines,
        "lines_changed": len(changed),
        "false_positives": len(changed) / lines,
        "ms_per_10kB": round(cost(files), 3),
        "hostile_ms_per_10kB": {name: round(ms, 2) for name, ms in hostile.items()},
    }
    worst = max(hostile, key=lambda name: hostile[name])
    rows: list[list[object]] = [
        ["planted secrets masked", f"{planted - len(remained)} of {planted}", f"{figures['recall']:.2%}", ">= 99 %"],
        ["the same in real programs' spellings", "{masked} of {planted}".format(**spelled), "", "-"],
        ["the same, a corpus held out", "{masked} of {planted}".format(**held_out), "", "-"],
        ["look-alikes masked", "{alike_masked} of {alike}".format(**spelled), "", "0"],
        ["the same, held out", "{alike_masked} of {alike}".format(**held_out), "", "-"],
        ["ordinary strings masked", f"{len(ordinary)} of {len(ORDINARY)}", "", "0"],
        ["source lines changed", f"{len(changed)} of {lines}", f"{figures['false_positives']:.4%}", "< 0.1 %"],
        ["ms per 10 kB of source", "", figures["ms_per_10kB"], "< 1"],
        ["ms per 10 kB, the worst hostile text", worst, f"{hostile[worst]:.2f}", "-"],
    ]
    show("masking", ["what", "how many", "figure", "goal"], rows)
    if options.verbose:
        print("\nmissed", *remained, "\nordinary, but masked", *ordinary, sep="\n  ")
        print("\nsource lines changed", *changed, "\nby rule", *rules.most_common(), sep="\n  ")
        print("\nhostile, ms per 10 kB", *(f"{name}: {ms:.2f}" for name, ms in hostile.items()), sep="\n  ")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    met = figures["recall"] >= GOALS["recall"] and figures["false_positives"] < GOALS["false_positives"]
    sys.exit(0 if met and figures["ms_per_10kB"] < GOALS["ms_per_10kB"] and not ordinary else 1)


if __name__ == "__main__":
    main()

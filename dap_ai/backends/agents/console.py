"""What the debug console of a run understands: its commands, else an expression over the held event."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from dap_ai.backends.agents.conditions import FIELDS, ConditionError, parsed, value_of
from dap_ai.backends.agents.titles import document, title
from dap_ai.protocol.wire.visible import visible
from dap_ai.runs.analysis.differences import between_steps
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.model import Event, Run

_MAX_FOUND = 40
_AROUND = 60
_COMMAND = re.compile(r"\s*(\w+)(?:\s+(.*))?\s*", re.DOTALL)


class Console:
    """Answers one line at a time, about one run."""

    def __init__(self, run: Run, analysis: Analysis) -> None:
        self._run = run
        self._analysis = analysis
        self._about = {"run": {"path": run.root, "format": run.format, "steps": run.steps, "task": run.task}}
        self._commands: Mapping[str, Callable[[str], str]] = {
            "help": lambda _: HELP,
            "show": self._show,
            "search": self._search,
            "diff": self._diff,
            "cost": lambda _: self._cost(),
            "tree": lambda _: self._tree(),
            "checks": lambda _: self._checks(),
            "patterns": lambda _: self._patterns(),
        }

    def answer(self, text: str, event: Event | None) -> str:
        """What a command or an expression gives. Raises ConditionError."""
        found = _COMMAND.fullmatch(text)
        if found and found[1] in self._commands:
            return self._commands[found[1]](found[2] or "")
        if event is None:
            raise ConditionError("the run has no event here")
        value = value_of(parsed(text), event, self._about)
        return visible(value) if isinstance(value, str) else repr(value)

    def completions(self, text: str) -> list[str]:
        """Commands and fields that a word may become."""
        word = re.split(r"[^\w.]", text)[-1]
        names = [*self._commands, *FIELDS] if word == text.strip() else list(FIELDS)
        return [name for name in names if name.startswith(word)]

    def _show(self, argument: str) -> str:
        step = _number(argument)
        found = [event for event in self._run.events if event.step == step]
        if not found:
            raise ConditionError(f"there is no step {step}: the run has {self._run.steps}")
        return "\n".join(document(event) for event in found)

    def _search(self, argument: str) -> str:
        if not argument:
            raise ConditionError("search for what? `search PATTERN`, a regular expression")
        try:
            pattern = re.compile(argument, re.IGNORECASE)
        except re.error as error:
            raise ConditionError(f"not a regular expression: {error}") from error
        rows: list[str] = []
        for event in self._run.events:
            if met := pattern.search(event.text):
                start = max(0, met.start() - _AROUND)
                near = " ".join(visible(event.text[start : met.end() + _AROUND]).split())
                rows.append(f"{event.index} {title(event).partition(':')[0]}: …{near}…")
            if len(rows) == _MAX_FOUND:
                rows.append(f"the first {_MAX_FOUND}")
                break
        return "\n".join(rows) or "found nowhere"

    def _diff(self, argument: str) -> str:
        numbers = argument.split()
        if len(numbers) != 2:
            raise ConditionError("which steps? `diff 3 7`")
        parts = between_steps(self._run, _number(numbers[0]), _number(numbers[1]))
        return "\n".join(visible(line) for name, lines in parts.items() for line in [f"{name}:", *lines]) or "the same"

    def _cost(self) -> str:
        usages = [event.usage for event in self._run.events if event.usage]
        tokens = [sum(filter(None, (u.input_tokens, u.output_tokens))) for u in usages]
        spent = self._run.cost_usd
        costs = [u.cost_usd for u in usages if u.cost_usd is not None]
        spent = spent if spent is not None else sum(costs) if costs else None
        dollars = f", ${spent:.2f}" if spent is not None else ", no cost recorded"
        return f"{len(usages)} queries with usage, {sum(tokens):,} tokens{dollars}"

    def _tree(self) -> str:
        depth: dict[int, int] = {0: 0}
        rows: list[str] = []
        for node in self._analysis.tree:
            depth[node.step] = depth.get(node.parent, 0) + 1
            rows.append(f"{'  ' * (depth[node.step] - 1)}{node.step} {node.kind}: {node.intent} -> {node.outcome}")
        return "\n".join(map(visible, rows)) or "no steps"

    def _checks(self) -> str:
        words = {True: "ok", False: "failed", None: "not known"}
        return "\n".join(visible(f"{c.step} {words[c.ok]}: {c.summary or c.error}") for c in self._analysis.checks) or (
            "nothing was checked"
        )

    def _patterns(self) -> str:
        return "\n".join(visible(f"{_steps(p.steps)}: {p.text}") for p in self._analysis.patterns) or "none seen"


HELP = """\
show N         a step, whole
search RE      where a text stands
diff A B       what differs between two steps
cost, tree, checks, patterns
an expression  over the held event: tool == "bash", len(text), args.command, usage.total"""


def _steps(steps: Sequence[int]) -> str:
    return f"steps {', '.join(map(str, steps))}" if len(steps) > 1 else f"step {steps[0]}" if steps else "the run"


def _number(text: str) -> int:
    if not text.strip().isdecimal():
        raise ConditionError(f"{text.strip()!r} is no step's number")
    return int(text)

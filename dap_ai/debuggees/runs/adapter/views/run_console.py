"""Debug console of a run: commands, and expressions over the current event."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts, tokens_of
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError
from dap_ai.debuggees.runs.adapter.views.event_documents import in_console
from dap_ai.debuggees.runs.event_titles import title
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.searching import matches
from dap_ai.protocol.wire.visible import visible
from dap_ai.system.texts import code

_MAX_FOUND = 40
_AROUND = 80
_MAX_CHARS = 200_000
"""Maximum characters per command's answer."""
Bounded = Callable[[], AbstractContextManager[None]]
"""Context manager that raises TimeoutError if its block takes too long."""


@dataclass(frozen=True)
class ConsoleCommand:
    """A console command: its function, usage and description."""

    answer: Callable[[str], str]
    usage: str
    tells: str


class RunConsole:
    """Answers console commands about one run."""

    def __init__(self, facts: RunFacts, bounded: Bounded) -> None:
        self._facts = facts
        self._bounded = bounded
        self.commands: Mapping[str, ConsoleCommand] = {
            "show": ConsoleCommand(self._show, "show N", "a step, whole"),
            "search": ConsoleCommand(self._search, "search RE", "lines that match"),
            "diff": ConsoleCommand(self._diff, "diff A B", "what differs between two steps"),
            "cost": ConsoleCommand(lambda _: self._cost(), "cost", "queries, tokens, dollars, by agent"),
            "tree": ConsoleCommand(lambda _: self._tree(), "tree", "the steps as a tree of states"),
            "steps": ConsoleCommand(lambda _: self._steps(), "steps", "every step, a line each"),
            "checks": ConsoleCommand(lambda _: self._checks(), "checks", "tests and builds, and how they came out"),
            "changes": ConsoleCommand(self._changes, "changes [A B]", "what became of each file, between two steps"),
            "patterns": ConsoleCommand(
                lambda _: self._patterns(), "patterns", "what goes wrong in many runs, and does here"
            ),
            "onset": ConsoleCommand(lambda _: self._onset(), "onset", "where the run went wrong"),
            "analyse": ConsoleCommand(lambda _: self._analyse(), "analyse", "looks for all this in a long run"),
            "help": ConsoleCommand(lambda _: self._help(), "help", "this"),
        }

    @property
    def _run(self) -> Run:
        return self._facts.run

    def command(self, text: str) -> str | None:
        """Return a command's answer; None if the text isn't a command. Raises ConditionError."""
        name, argument = (*text.split(None, 1), "", "")[:2]
        if name not in self.commands or argument.startswith(("=", "<", ">", "!", "in ", "not ")):
            return None
        try:
            with self._bounded():
                answer = self.commands[name].answer(argument.strip())
        except TimeoutError as error:
            raise ConditionError(f"{code(name)} has taken too long, and was given up") from error
        more = len(answer) - _MAX_CHARS
        answer = answer if more <= 0 else f"{answer[:_MAX_CHARS]}\n… {more:,} characters more"
        return f"{answer}\n(of {self._facts.known}: the run is still being read)" if self._of_all(name) else answer

    def _of_all(self, name: str) -> bool:
        return bool(self._facts.known) and name not in {"show", "diff", "help", "analyse"}

    def _show(self, argument: str) -> str:
        step = self._step(argument or "0", "show")
        return "\n".join(in_console(self._run.events[index]) for index in self._facts.steps[step])

    def _search(self, argument: str) -> str:
        if not argument:
            raise ConditionError("search for what? `search RE`, a regular expression")
        try:
            pattern = re.compile(argument, re.IGNORECASE)
        except (re.error, RecursionError, OverflowError) as error:
            raise ConditionError(f"not a regular expression: {error}") from error
        rows: list[str] = []
        for met in islice(matches(self._run, pattern), _MAX_FOUND):
            near = met.line[max(0, met.start - _AROUND) : met.end + _AROUND]
            head = f"{met.event.step or ''} {met.event.kind} {met.event.tool}".strip()
            rows.append(visible(f"{head}: {' '.join(near.split())}"))
        more = [f"the first {_MAX_FOUND}"] if len(rows) == _MAX_FOUND else []
        return "\n".join([*rows, *more]) or "found nowhere"

    def _diff(self, argument: str) -> str:
        from dap_ai.debuggees.runs.analysis.run_differences import between_steps  # noqa: PLC0415  it imports all of analysis

        first, second = self._two(argument, "diff")
        parts = between_steps(self._run, first, second)
        return "\n".join(visible(line) for name, lines in parts.items() for line in [f"{name}:", *lines]) or "the same"

    def _changes(self, argument: str) -> str:
        from dap_ai.debuggees.runs.analysis.run_differences import workspace  # noqa: PLC0415  imported on use

        first, last = self._two(argument, "changes") if argument else (0, self._run.steps)
        found = workspace(self._facts.analysis, first, last)
        rows = [line for change in found for line in (f"{change.path}, {_steps(change.steps)}", *change.diff)]
        return "\n".join(map(visible, rows)) or "no file was changed, as far as the calls tell"

    def _cost(self) -> str:
        rows = [self._cost_of(agent.name) for agent in self._run.agents] if len(self._run.agents) > 1 else []
        spent = self._run.cost_usd
        total = self._cost_of("")
        recorded = f"; recorded for the run: ${spent:.4f}" if spent is not None else ""
        return "\n".join([*rows, f"{total}{recorded}"])

    def _cost_of(self, agent: str) -> str:
        """Return tokens and cost of one agent, or of all agents if `agent` is empty."""
        usages = [event.usage for event in self._run.events if event.usage and agent in ("", event.agent)]
        tokens = sum(tokens_of(usage) or 0 for usage in usages)
        costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
        dollars = f"${sum(costs):.4f}" if costs else "no cost"
        who = f"{agent}: " if agent else ""
        return visible(f"{who}{len(usages)} answers with usage, {tokens:,} tokens, {dollars}")

    def _tree(self) -> str:
        depth: dict[int, int] = {0: 0}
        rows: list[str] = []
        for node in self._facts.analysis.tree:
            depth[node.step] = depth.get(node.parent, 0) + 1
            told = f" -> {node.outcome}" if node.outcome else ""
            rows.append(f"{'  ' * (depth[node.step] - 1)}{node.step} {node.kind}: {node.intent}{told}")
        return "\n".join(map(visible, rows)) or "no steps"

    def _steps(self) -> str:
        events = self._run.events
        return "\n".join(title(events[indices[0]]) for indices in self._facts.steps.values()) or "no steps"

    def _checks(self) -> str:
        words = {True: "ok", False: "failed", None: "not known"}
        rows = [f"{c.step} {words[c.ok]}: {c.summary or c.error or c.runner}" for c in self._facts.analysis.checks]
        return "\n".join(map(visible, rows)) or "nothing was checked"

    def _patterns(self) -> str:
        rows = [f"{_steps(p.steps)}: {p.text}" for p in self._facts.analysis.patterns]
        return "\n".join(map(visible, rows)) or "none seen"

    def _onset(self) -> str:
        finding = self._facts.analysis.finding
        if (onset := finding.onset) is None:
            return visible(f"nothing is said of where it went wrong: {finding.why}")
        quotes = [f"  step {e.step}: {' '.join(e.quote.split())}" for e in onset.evidence]
        chain = [f"  step {link.step}: {link.text}" for link in onset.chain]
        others = [f"  {_steps(range(o.first, o.last + 1))}, {o.type}: {o.text}" for o in onset.alternatives]
        head = [f"{_steps(range(onset.first, onset.last + 1))}, {onset.type}: {onset.text}"]
        parts = [("evidence", quotes), ("from there", chain), ("or else", others)]
        return visible("\n".join(head + [row for name, rows in parts if rows for row in (f"{name}:", *rows)]))

    def _analyse(self) -> str:
        if self._facts.known:
            return f"the run is still being read, {self._facts.known}: ask again later"
        if not self._facts.analysed.begin() and not self._facts.analysed.is_due:
            return "it is being analysed: ask again later"
        found = self._facts.analysis
        return f"{len(found.checks)} checks, {len(found.patterns)} patterns\n{self._onset()}"

    def _help(self) -> str:
        rows = [f"{command.usage:<14} {command.tells}" for command in self.commands.values()]
        return "\n".join([*rows, f"{'an expression':<14} over the held event: tool == 'bash', len(text), args.command"])

    def _step(self, text: str, command: str) -> int:
        if not text.strip().isdecimal() or len(text) > 12:
            raise ConditionError(f"{text.strip()!r} is no step's number: {code(self.commands[command].usage)}")
        if int(text) not in self._facts.steps:
            raise ConditionError(f"there is no step {int(text)}: the run has {self._run.steps}")
        return int(text)

    def _two(self, text: str, command: str) -> tuple[int, int]:
        numbers = text.split()
        if len(numbers) != 2:
            raise ConditionError(f"which steps? {code(self.commands[command].usage)}")
        return self._step(numbers[0], command), self._step(numbers[1], command)


def _steps(steps: Sequence[int]) -> str:
    """Format step numbers: `step 3`, `steps 3-5`, `steps 3, 7`."""
    if not steps:
        return "the run"
    if len(steps) == 1:
        return f"step {steps[0]}"
    in_a_row = list(steps) == list(range(steps[0], steps[-1] + 1))
    return f"steps {steps[0]}-{steps[-1]}" if in_a_row else f"steps {', '.join(map(str, steps))}"

"""Which agent of a run has asked: told apart by conversation, because nothing on the wire names one.

A query belongs to the agent whose conversation it continues; else to the one whose calls it answers (its history was
shortened); else to the one with the same instructions and tools that waits for nothing; else it is a new agent, named
by the call that is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec


class MessageNode(msgspec.Struct, frozen=True, gc=False):
    """A message in a conversation. `line` is where its content is, 1-based."""

    after: int
    part: str
    line: int
    is_system: bool


class Asker(msgspec.Struct):
    """An agent, and where it is in its conversation."""

    name: str
    parent: str
    head: tuple[str, str]
    """Its instructions and tools, as names of parts."""
    last: int = 0
    """Its newest message."""
    open_calls: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Without a result so far: id and the name for a sub-agent that it may have called."""
    waiting: int = 0
    """Its queries without an answer."""
    has_tools: bool = False
    has_task: bool = False


class Askers:
    """The agents of a run so far."""

    def __init__(self, nodes: dict[int, MessageNode]) -> None:
        self.known: list[Asker] = []
        self._nodes = nodes
        self._owners: dict[int, Asker] = {}
        self._callers: dict[str, Asker] = {}

    def of(
        self, last: int, tools: str, answers: Sequence[str], who: tuple[str, str] = ("", "")
    ) -> tuple[Asker, list[int]]:
        """Who asks with a conversation that ends at `last`, and its messages that are new to that agent.

        `answers` are the ids of the calls whose results are among the messages that nobody has sent so far.
        `who` is the agent's name and its parent's, where a hook has told them.
        """
        head = (self._system(last), tools)
        asker = (
            self._announced_asker(head, *who)
            or self._continued(last)
            or self._calling(answers)
            or self._resting(head)
            or self._new(head)
        )
        new = self._new_to(asker, last)
        self._take(asker, last)
        asker.has_tools = asker.has_tools or bool(tools)
        return asker, new

    def named(self, name: str, main: str) -> Asker | None:
        """The agent of that name, or called `main` the first."""
        if name == main:
            return next((each for each in self.known if not each.parent), None)
        return next((each for each in self.known if each.name == name), None)

    def takes(self, asker: Asker, last: int) -> None:
        """What an agent has asked was edited: messages up to `last` are its own from then on."""
        self._take(asker, last)

    def unsent(self, last: int) -> list[int]:
        """The messages up to `last` that are in no query before, in their order."""
        found = list[int]()
        while last and last not in self._owners and last in self._nodes:
            found.append(last)
            last = self._nodes[last].after
        return found[::-1]

    def called(self, asker: Asker, call_id: str, name: str) -> None:
        """An answer to it holds a call; `name` is for the sub-agent that it may start."""
        asker.open_calls[call_id] = name
        self._callers[call_id] = asker

    def _continued(self, last: int) -> Asker | None:
        while last and last in self._nodes and last not in self._owners:
            last = self._nodes[last].after
        node = self._nodes.get(last)
        return self._owners[last] if node is not None and not node.is_system else None

    def _calling(self, answers: Sequence[str]) -> Asker | None:
        return next((self._callers[one] for one in reversed(answers) if one in self._callers), None)

    def _announced_asker(self, head: tuple[str, str], name: str, parent: str) -> Asker | None:
        if not name:
            return None
        found = next((each for each in self.known if each.name == name), None)
        if found is None:
            found = Asker(name, parent, head)
            self.known.append(found)
        return found

    def _resting(self, head: tuple[str, str]) -> Asker | None:
        found = (each for each in self.known if each.head == head and not each.open_calls and not each.waiting)
        return next(found, None)

    def _new(self, head: tuple[str, str]) -> Asker:
        parent = next((each for each in reversed(self.known) if each.open_calls), None)
        taken = {each.name for each in self.known}
        wanted = next((name for name in parent.open_calls.values() if name and name not in taken), "") if parent else ""
        name = wanted or f"agent-{len(self.known) + 1}"
        while name in taken:
            name += "'"
        asker = Asker(name, parent.name if parent else "", head)
        self.known.append(asker)
        return asker

    def _system(self, last: int) -> str:
        """The name of the first message, where that is an instruction."""
        first = self._nodes.get(last)
        while first is not None and first.after in self._nodes:
            first = self._nodes[first.after]
        return first.part if first is not None and first.is_system else ""

    def _new_to(self, asker: Asker, last: int) -> list[int]:
        """Behind what it has sent before; a history that was rewritten is new only where its messages are."""
        found, before = list[int](), set[int]()
        at = asker.last
        while at:
            before.add(at)
            at = self._nodes[at].after if at in self._nodes else 0
        at = last
        while at and at not in before and at in self._nodes:
            found.append(at)
            at = self._nodes[at].after
        if asker.last and at != asker.last:
            known = Counter(self._nodes[each].part for each in before if each in self._nodes)
            fresh = list[int]()
            for each in reversed(found):
                part = self._nodes[each].part
                if known[part] > 0:
                    known[part] -= 1
                else:
                    fresh.append(each)
            return fresh
        return found[::-1]

    def _take(self, asker: Asker, last: int) -> None:
        asker.last = last
        while last and last in self._nodes and last not in self._owners:
            self._owners[last] = asker
            last = self._nodes[last].after

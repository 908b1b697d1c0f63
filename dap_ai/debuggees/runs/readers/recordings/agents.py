"""Identifies the agent behind each query to the model by its conversation.

Requests to the model's API do not name the agent. A query belongs to the agent whose conversation it continues. If the
agent's history was shortened, the query belongs to the agent whose calls it answers. Otherwise, it belongs to an idle
agent with the same instructions and tools, or else to a new agent, which is named after the open call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec


class MessageNode(msgspec.Struct, frozen=True, gc=False):
    """A message in a conversation.

    `after` is the node of the previous message, `line` the 1-based line of the message's content.
    """

    after: int
    part: str
    line: int
    is_system: bool


class Asker(msgspec.Struct):
    """An agent and the state of its conversation."""

    name: str
    parent: str
    head: tuple[str, str]
    """Names of the parts with the agent's instructions and tools."""
    last: int = 0
    """Node of the agent's newest message; 0 if the agent has sent none."""
    open_calls: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Calls without a result: maps the call's id to the name of the sub-agent that the call may have started."""
    waiting: int = 0
    """Number of the agent's queries that have no response yet."""
    has_tools: bool = False
    has_task: bool = False


class Askers:
    """The agents found so far in a run."""

    def __init__(self, nodes: dict[int, MessageNode]) -> None:
        self.known: list[Asker] = []
        self._nodes = nodes
        self._owners: dict[int, Asker] = {}
        self._callers: dict[str, Asker] = {}

    def of(
        self, last: int, tools: str, answers: Sequence[str], who: tuple[str, str] = ("", "")
    ) -> tuple[Asker, list[int]]:
        """Return the agent that sent the conversation ending at node `last`, and the messages new to that agent.

        `answers` are the ids of the calls whose results are among the messages that no earlier query contains. `who` is
        the name of the agent and of its parent, if a hook in the agent's process recorded them.
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
        """Return the agent with this name, or None if it is unknown.

        For the name `main`, returns the first agent without a parent.
        """
        if name == main:
            return next((each for each in self.known if not each.parent), None)
        return next((each for each in self.known if each.name == name), None)

    def takes(self, asker: Asker, last: int) -> None:
        """Assign the messages up to `last` to the agent. Needed after the user edited the agent's query."""
        self._take(asker, last)

    def unsent(self, last: int) -> list[int]:
        """Return the messages up to `last` that no earlier query contains, in order."""
        found = list[int]()
        while last and last not in self._owners and last in self._nodes:
            found.append(last)
            last = self._nodes[last].after
        return found[::-1]

    def called(self, asker: Asker, call_id: str, name: str) -> None:
        """Record a call of the agent that has no result yet. `name` is for the sub-agent that the call may start."""
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
        """Return the part name of the conversation's first message; empty if that is no system message."""
        first = self._nodes.get(last)
        while first is not None and first.after in self._nodes:
            first = self._nodes[first.after]
        return first.part if first is not None and first.is_system else ""

    def _new_to(self, asker: Asker, last: int) -> list[int]:
        """Return the messages up to `last` that the agent has not sent before.

        If the agent's history was rewritten, messages with known content do not count as new.
        """
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

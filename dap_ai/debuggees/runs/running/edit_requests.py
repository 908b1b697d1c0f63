"""Handles requests and console commands that edit a stopped event: values, a replacement answer, a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dap_ai.debuggees.runs.adapter.open_run import OpenRun
from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError
from dap_ai.debuggees.runs.adapter.views.run_console import ConsoleCommand
from dap_ai.debuggees.runs.live.gate.orders import Order
from dap_ai.debuggees.runs.running.agent_holds import At, Present, value_shown
from dap_ai.debuggees.runs.running.edit_documents import from_expression, typed

Body = Mapping[str, Any]


class EditRequests:
    """Handlers of edits: DAP requests in `handlers`, console commands in `commands`."""

    def __init__(self, opened: OpenRun, present: Present) -> None:
        self._opened, self._present = opened, present
        self.handlers: Mapping[str, Callable[[RequestArguments], Body | None]] = {
            "setVariable": self._variable,
            "setExpression": self._expression,
        }
        self.commands: Mapping[str, ConsoleCommand] = {
            "answer": ConsoleCommand(
                self._answer, 'answer "TEXT"', "answers in the model's place, or the held call in the tool's"
            ),
            "note": ConsoleCommand(
                self._note, 'note "TEXT"', "a user's words behind the held query, in later ones, too"
            ),
            "drop": ConsoleCommand(self._drop, "drop", "the held call is not made; the held query is refused"),
        }

    def _variable(self, arguments: RequestArguments) -> Body:
        rows = self._opened.references.rows(arguments.number("variablesReference"))
        name = arguments.text("name")
        if rows.path is None:
            raise RequestError("this is told of the event, and is no part of it that could be edited")
        if not rows.path:
            return self._set(name, arguments.text("value"))
        return self._set(f"{rows.path}.{name}", arguments.text("value"))

    def _expression(self, arguments: RequestArguments) -> Body:
        if frame := arguments.number("frameId", 0):
            self._present.at(self._opened.stack.frame(frame).event.index)
        return self._set(arguments.text("expression"), arguments.text("value"))

    def _set(self, expression: str, given: str) -> Body:
        at = self._here()
        self._present.take(at)
        order, value = from_expression(at.held, expression, given)
        if order is not None:
            self._present.order(at, order)
        return {"value": value_shown(value)}

    def _here(self) -> At:
        return self._present.at(self._opened.cursor.index)

    def _answer(self, argument: str) -> str:
        at = self._current_hold()
        if at.held.kind == "result":
            raise ConditionError("the tool has answered: edit `text`")
        self._present.order(at, Order(at.held.ident, "answer", text=typed(argument)))
        if at.held.kind == "query":
            return "no model is asked: the agent gets this answer once it goes on"
        return "the agent gets this in its place once it goes on"

    def _note(self, argument: str) -> str:
        at = self._current_hold()
        if at.held.kind not in ("query", "result") or not at.held.query:
            raise ConditionError("a note goes behind a query: hold before the next one (the filter *Before a query*)")
        if not argument.strip():
            raise ConditionError('which words? `note "look at shop.py first"`')
        self._present.order(at, Order(at.held.ident, "note", text=typed(argument)))
        return "the model sees this as a user's words, now and in later queries; the agent does not know of it"

    def _drop(self, argument: str) -> str:
        del argument
        at = self._current_hold()
        if at.held.kind not in ("query", "call"):
            raise ConditionError("only a query or a call can be dropped: this has happened")
        self._present.order(at, Order(at.held.ident, "drop"))
        return "the call is not made" if at.held.kind == "call" else "the query is refused once it goes on"

    def _current_hold(self) -> At:
        try:
            return self._here()
        except RequestError as error:
            raise ConditionError(str(error)) from error

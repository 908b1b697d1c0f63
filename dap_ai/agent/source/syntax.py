"""Converts the text of an expression to a Node, by its language."""

from __future__ import annotations

from dap_ai.agent.sanitize import to_node
from dap_ai.agent.source.parsed import grammar_of
from dap_ai.agent.source.source_file import NATIVE_LANGUAGES
from dap_ai.protocol.contracts.inspection import Node


def node_of(text: str, language: str = "python") -> Node:
    """Converts an expression in `language` to a Node. Raises sanitize.SyntaxRefused."""
    if language in NATIVE_LANGUAGES:
        return grammar_of(language).expression(text, language).node or []
    return to_node(text)

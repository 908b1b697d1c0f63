"""The optional extras of the installation: which feature each one provides, and how the user installs it.

The base installation works without the packages named here; pyproject.toml lists them under the same names. Code that
imports one of them calls `load`, or checks `is_installed` first.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType


class MissingExtraError(Exception):
    """A package of an extra is not installed; the message names the feature and how to install it."""


@dataclass(frozen=True)
class Extra:
    """An optional extra of the installation."""

    name: str
    feature: str
    """The feature it provides, as the beginning of a sentence."""
    modules: tuple[str, ...] = ()
    """Importable module names it installs; empty if it installs programs."""

    @property
    def is_installed(self) -> bool:
        """Whether all its modules can be imported."""
        return not self.missing

    @property
    def missing(self) -> list[str]:
        """The names of its modules that cannot be imported."""
        return [name for name in self.modules if importlib.util.find_spec(name) is None]

    def require(self) -> None:
        """Raise MissingExtraError if one of its modules is missing."""
        if self.missing:
            raise MissingExtraError(self.install_advice)

    @property
    def install(self) -> str:
        """The install command, as a sentence without its full stop."""
        return f"Install it: {sys.executable} -m pip install 'dap-ai[{self.name}]'"

    @property
    def install_advice(self) -> str:
        """The missing feature and the install command: two sentences, the last without its full stop."""
        return f"{self.feature} needs the extra `{self.name}`. {self.install}"

    def load(self, module: str) -> ModuleType:
        """Import one of its modules. Raises MissingExtraError if it is not installed."""
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module.partition(".")[0]:
                raise
            raise MissingExtraError(self.install_advice) from error


ATTACH = Extra("attach", "Attaching to a running Python program")
DEFINITIONS = Extra("definitions", "Looking up definitions by a language server", ("jedi_language_server", "pygls"))
FLEET = Extra("fleet", "Scanning runs on several machines, at URLs or to Parquet")
"""Lists no modules: each use needs only one of them."""
GRAMMARS = Extra(
    "grammars",
    "Reading the source of C, C++ and Rust",
    ("tree_sitter", "tree_sitter_c", "tree_sitter_cpp", "tree_sitter_rust"),
)
JUPYTER = Extra("jupyter", "Debugging what runs in a Jupyter kernel", ("jupyter_client",))
MCP = Extra("mcp", "Serving coding agents by the Model Context Protocol", ("mcp",))
NATIVE = Extra("native", "Debugging C, C++ and Rust")
PROMPT = Extra("prompt", "Editing lines of `dap-ai debug` with history and completion", ("prompt_toolkit",))
PRICES = Extra("prices", "Telling what a model's answer costs", ("genai_prices",))
RUNS = Extra("runs", "Analysing runs of agents", ("tree_sitter", "tree_sitter_bash"))
EXTRAS = (ATTACH, DEFINITIONS, FLEET, GRAMMARS, JUPYTER, MCP, NATIVE, PRICES, PROMPT, RUNS)

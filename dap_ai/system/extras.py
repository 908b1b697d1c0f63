"""The optional extras of dap_ai: the feature that each extra provides, and the command that installs it.

pyproject.toml lists the packages of each extra. The base installation works without these packages. Code that imports
such a package calls `load`, or checks `is_installed` first.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from dap_ai.system.texts import code


class MissingExtraError(Exception):
    """Raised if a package of an extra is missing. The message names the feature and the install command."""


@dataclass(frozen=True)
class Extra:
    """An optional extra that the user can install with dap_ai."""

    name: str
    feature: str
    """The feature that the extra provides, as the beginning of a sentence."""
    modules: tuple[str, ...] = ()
    """Names of the modules that the extra installs; empty if it installs only programs."""

    @property
    def is_installed(self) -> bool:
        """Whether all modules of the extra can be imported."""
        return not self.missing

    @property
    def missing(self) -> list[str]:
        """The names of the extra's modules that cannot be imported."""
        return [name for name in self.modules if importlib.util.find_spec(name) is None]

    def require(self) -> None:
        """Raise MissingExtraError if a module of the extra is missing."""
        if self.missing:
            raise MissingExtraError(self.install_advice)

    @property
    def install(self) -> str:
        """A sentence with the install command, without its full stop."""
        return f"Install it: {sys.executable} -m pip install 'dap-ai[{self.name}]'"

    @property
    def install_advice(self) -> str:
        """Two sentences that name the missing feature and the install command, without the last full stop."""
        return f"{self.feature} needs the extra {code(self.name)}. {self.install}"

    def load(self, module: str) -> ModuleType:
        """Import and return a module of the extra. Raises MissingExtraError if the module is missing."""
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module.partition(".")[0]:
                raise
            raise MissingExtraError(self.install_advice) from error


ATTACH = Extra("attach", "Attaching to a running Python program")
DEFINITIONS = Extra("definitions", "Looking up definitions by a language server", ("jedi_language_server", "pygls"))
FLEET = Extra("fleet", "Scanning runs on several machines, at URLs or to Parquet")
"""Lists no modules, because each use needs only one of the extra's packages."""
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

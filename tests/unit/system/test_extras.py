"""What a base installation lacks: who brings it, and what the user meets instead."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from dap_ai import cli
from dap_ai.agent.language.recipes import is_installed, why_not_installed
from dap_ai.agent.sanitize import SyntaxRefused
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.commands import doctor
from dap_ai.debuggees.native.answer.answer import NativeAnalyst
from dap_ai.debuggees.native.source import grammar
from dap_ai.debuggees.native.source.parsing import to_node
from dap_ai.debuggees.runs.adapter.recipe import backend as agents_backend
from dap_ai.debuggees.runs.analysis.command_lines import shell_parser
from dap_ai.protocol.contracts.backend import StartError
from dap_ai.protocol.wire.ask_messages import AskArguments
from dap_ai.settings.configuration import Settings
from dap_ai.system.extras import ATTACH, DEFINITIONS, EXTRAS, GRAMMARS, PRICES, RUNS, Extra, MissingExtraError
from tests.patience import patient
from tests.unit.agent.harness import Heard
from tests.unit.debuggees.native.cases import NULL, At, stopped

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
RUN = Path(__file__).parents[3] / "examples" / "runs" / "discount.traj.json"
OPTIONAL = [module for extra in EXTRAS for module in extra.modules]


@pytest.fixture
def no_grammar(without_modules):
    without_modules(*GRAMMARS.modules)
    grammar._language.cache_clear()
    yield
    grammar._language.cache_clear()


def packages(requirements: list[str]) -> set[str]:
    """Their names alone."""
    return {r.partition(">")[0].partition("[")[0] for r in requirements}


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra.name)
def test_pyproject_brings_what_an_extra_promises(extra: Extra):
    owners = metadata.packages_distributions()
    brought = packages(PROJECT["optional-dependencies"][extra.name])
    assert brought >= {owners[module][0] for module in extra.modules}


def test_the_base_installation_has_none_of_it():
    owners = metadata.packages_distributions()
    assert not packages(PROJECT["dependencies"]) & {owners[module][0] for module in OPTIONAL}


def test_full_is_every_extra_with_modules():
    assert PROJECT["optional-dependencies"]["full"] == ["dap-ai[definitions,grammars,jupyter,mcp,prices,prompt,runs]"]
    named = [extra.name for extra in EXTRAS if extra.modules]
    assert named == ["definitions", "grammars", "jupyter", "mcp", "prices", "prompt", "runs"]


def test_a_missing_module_is_told_with_the_command_that_brings_it(without_modules):
    without_modules("genai_prices")
    with pytest.raises(MissingExtraError) as caught:
        PRICES.load("genai_prices")
    assert str(caught.value) == (
        f"Telling what a model's answer costs needs the extra `prices`. Install it: {sys.executable} -m pip install "
        "'dap-ai[prices]'"
    )


def test_a_package_that_is_there_and_broken_is_no_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "broken_package.py").write_text("import nobody_has_this\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="nobody_has_this"):
        Extra("broken", "Nothing", ("broken_package",)).load("broken_package")


def test_an_extra_of_programs_alone_lacks_no_module():
    assert ATTACH.is_installed


def test_everything_is_imported_without_them():
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}));"
        "import dap_ai.commands.ask, dap_ai.commands.serve, dap_ai.commands.doctor, dap_ai.commands.wiring,"
        " dap_ai.agent.session_agent, dap_ai.debuggees.native.answer.answer, dap_ai.agent.tools.tool_table; print('imported')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=patient(30), check=False
    )
    assert (done.stdout, done.stderr) == ("imported\n", "")


# -- the source of native programs ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_grammar")
def test_a_native_file_without_its_grammar_has_lines_and_no_unit():
    source = SourceFile("/src/a.c", "int main(void) { return 0; }\n")
    assert (source.unit, source.line(1)[:3]) == (None, "int")
    assert "the extra `grammars`" in source.unparsed


@pytest.mark.usefixtures("no_grammar")
def test_an_expression_of_c_without_its_grammar_is_refused_with_the_way_out():
    with pytest.raises(SyntaxRefused, match=r"needs the extra `grammars`.*pip install"):
        to_node("p->next", "c")


@pytest.mark.usefixtures("no_grammar")
def test_a_native_answer_without_the_grammar_has_what_was_read_and_says_what_is_missing():
    source = "int total(struct order *order) {\n    return order->price;\n}\n"
    case = stopped(source, [At("total", "order->price", {"order": NULL})], address=16)
    work: Any = SimpleNamespace(ask=SimpleNamespace(arguments=AskArguments("")), sink=Heard(), debugger=None, read=None)
    asyncio.run(NativeAnalyst().answer(work, case, work))
    text = work.sink.text("answer")
    assert "`SIGSEGV`: address not mapped" in text
    assert "`order` = `" in text
    assert text.count("The source was not parsed") == 1
    assert f"pip install 'dap-ai[{GRAMMARS.name}]'" in text


# -- runs of agents ------------------------------------------------------------------------------------------------


@pytest.fixture
def no_shell(without_modules):
    without_modules(*RUNS.modules)
    shell_parser._language.cache_clear()
    yield
    shell_parser._language.cache_clear()


@pytest.mark.usefixtures("no_shell")
@pytest.mark.parametrize(
    "command", [["ask", "--run"], ["run", "show"], ["run", "onset"], ["run", "scan", "--out", "x"]]
)
def test_without_a_parser_of_shell_what_analyses_runs_says_what_to_install(command: list[str]):
    done = CliRunner().invoke(cli.main, [*command, str(RUN)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert RUNS.install_advice in done.stderr and "Traceback" not in done.stderr


@pytest.mark.usefixtures("no_shell")
def test_without_a_parser_of_shell_runs_are_listed():
    done = CliRunner().invoke(cli.main, ["run", "list", str(RUN.parent)])
    assert (done.exit_code, RUN.name in done.stdout) == (0, True)


@pytest.mark.usefixtures("no_shell")
def test_without_a_parser_of_shell_the_debugger_of_runs_does_not_start():
    with pytest.raises(StartError, match=r"needs the extra `runs`\. Install it: "):
        asyncio.run(agents_backend.prepare("launch", {"run": str(RUN)}))


# -- language servers ----------------------------------------------------------------------------------------------


def test_without_pygls_no_language_server_is_asked_and_the_extra_is_named(without_modules):
    without_modules("pygls")
    assert not any(map(is_installed, ("python", "clang", "rust")))
    assert {why_not_installed(family) for family in ("python", "clang", "rust")} == {DEFINITIONS.install_advice}


# -- dap-ai doctor -------------------------------------------------------------------------------------------------


def rows_of(checks: list[doctor.DoctorCheck]) -> list[tuple[str, bool]]:
    return [(check.verdict, "pip install 'dap-ai[" in check.advice) for check in checks]


def test_doctor_names_the_language_server_that_is_missing(without_modules, monkeypatch):
    monkeypatch.setenv("PATH", "")
    without_modules(*DEFINITIONS.modules)
    assert rows_of([doctor._language_server()]) == [("optional", True)]


@pytest.mark.parametrize(("has_compiler", "expected"), [(True, [("optional", True)]), (False, [])])
def test_doctor_names_the_grammars_where_native_programs_are_made(
    without_modules, monkeypatch, has_compiler: bool, expected: list[Any]
):
    without_modules(*GRAMMARS.modules)
    for name in ("_lldb", "_gdb", "_compilers"):
        monkeypatch.setattr(doctor, name, lambda: SimpleNamespace(verdict="ok" if has_compiler else "optional"))
    assert rows_of(doctor._grammars()) == expected


@pytest.mark.parametrize(("provider", "expected"), [("openai", [("optional", True)]), ("offline", [])])
def test_doctor_names_the_prices_where_a_model_is_paid(without_modules, provider: str, expected: list[Any]):
    without_modules("genai_prices")
    assert rows_of(doctor._prices(Settings(provider=provider))) == expected


def test_doctor_names_the_parser_of_shell(without_modules):
    without_modules("tree_sitter")
    assert rows_of([doctor._runs()]) == [("optional", True)]


def test_doctor_says_so_where_all_is_there():
    found = [*doctor._grammars(), *doctor._prices(Settings(provider="openai")), doctor._language_server()]
    assert [check.verdict for check in [*found, doctor._runs()]] == ["ok"] * 4

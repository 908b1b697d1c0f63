"""The package's tables are whole, and cost nothing before they are asked."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import msgspec
import pytest

from dap_ai.debuggees.runs.analysis import analysis_model, onset_model
from dap_ai.debuggees.runs.analysis.analysis_model import STRENGTH
from dap_ai.debuggees.runs.analysis.rule_tables import lists, programs, tools


def test_every_case_of_an_editor_and_every_command_is_a_tool():
    table = tools()
    named = [case for tool in [*table.tools.values(), *table.skills.values()] for case in tool.cases.values()]
    assert [name for name in [*named, *table.commands.values()] if name not in table.tools] == []


def test_names_of_tools_are_lower_case():
    assert [name for name in [*tools().tools, *tools().shells] if name != name.lower()] == []


def test_every_module_of_python_is_a_program_or_says_its_effect():
    modules = programs().modules
    assert [name for name, known in modules.items() if ":" not in known and not programs().knows(known)] == []
    effects = {known.partition(":")[0] for known in modules.values() if ":" in known}
    assert effects <= {*STRENGTH, "build"}


def test_a_program_stands_in_one_list_only():
    listed = [name for names in lists("programs")["effects"].values() for name in set(names)]
    twice = {name for name in listed if listed.count(name) > 1}
    assert twice <= {"printf"}  # it says something, and is asked for variables


@pytest.mark.parametrize("name", ["checks", "words"])
def test_every_expression_compiles(name):
    for value in lists(name).values():
        for text in value if isinstance(value, list) else []:
            if isinstance(text, str):
                re.compile(text)


def test_no_table_and_no_parser_is_loaded_with_the_words_of_analysis():
    code = "import sys; import dap_ai.debuggees.runs.analysis.analysis_model; print([n for n in sys.modules if 'tree_sitter' in n or 'tomllib' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_no_table_is_read_before_a_run_is_analysed():
    code = "import sys; import dap_ai.debuggees.runs.analysis.analyse; print('tomllib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False"


SHAPES = [
    shape
    for module in (analysis_model, onset_model)
    for _, shape in inspect.getmembers(module, inspect.isclass)
    if issubclass(shape, msgspec.Struct) and any(not field.required for field in msgspec.structs.fields(shape))
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_part_of_an_analysis_is_written_without_what_it_has_nothing_to_say_of(shape: type[msgspec.Struct]):
    required = [field for field in msgspec.structs.fields(shape) if field.required]
    written = json.loads(msgspec.json.encode(shape(**{field.name: 0 for field in required})))
    assert written == {field.encode_name: 0 for field in required}

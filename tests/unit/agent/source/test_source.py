"""Source as it is quoted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from dap_ai.agent.source.indexing import Index
from dap_ai.agent.source.source_file import SourceFile, Sources


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/w/till.py", "python"),
        ("/w/till.c", "c"),
        ("/w/Till.CPP", "cpp"),
        ("/w/till.rs", "rust"),
        ("<string>", "python"),
    ],
)
def test_a_code_block_names_its_language(path: str, language: str):
    assert SourceFile(path, "x").block("x") == f"```{language}\nx\n```"


@pytest.mark.parametrize("name", [".env", "id_rsa", "server.pem", ".ssh/config"])
def test_what_may_hold_secrets_is_no_source_whatever_names_it_as_one(tmp_path: Path, name: str):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("TOKEN=hunter2\n")
    link = tmp_path / "main"
    link.symlink_to(file)

    assert Sources().read(str(file)) is None
    assert Sources().read(str(link)) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("passwd", "root:x:0:0:root:/root:/bin/bash\n"),
        (".bashrc", "alias ll='ls -l'\nexport TOKEN=hunter2\n"),
        (".pythonrc", "import os\n"),
        ("notes.txt", "import os\n"),
        ("config.ini", "[core]\ntoken = hunter2\n"),
        ("settings", "[core]\ntoken = 'hunter2'\n"),
        ("environment", "TOKEN = 'hunter2'\nUSER = 'me'\n"),
        ("data.json", '{"token": "hunter2"}\n'),
        ("page.html", "<p>hunter2</p>\n"),
        ("tool", "\0import os\n"),
        ("tool.py", "import os\n\x01\n"),
        ("history", "ls -l\ncd /root\n"),
    ],
)
def test_what_is_no_program_is_no_source_whatever_names_it_as_one(tmp_path: Path, name: str, text: str):
    (file := tmp_path / name).write_text(text)
    (link := tmp_path / "link.c").symlink_to(file)
    sources = Sources()

    assert sources.read(str(file)) is None
    assert sources.read(str(link)) is None
    assert sources.refusal(str(file))


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/hostname", "/etc/../etc/group", "/bin/sh", "/dev/null"])
def test_no_file_of_the_system_is_source(path: str):
    assert Sources().read(path) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tool", "#!/usr/bin/env python3\nprint(1)\n"),
        ("tool", "import os\nprint(os.name)\n"),
        ("grammar.y", "%%\nstart: ;\n"),
        ("words.l", "%%\n"),
        ("page.html.j2", "{{ name }}\n"),
        ("templates/page.html", "{{ name }}\n"),
        ("c++/vector", "namespace std {}\n"),
        ("feed.c", "int x;\f\n"),
        ("kernel.cu", "int x;\n"),
    ],
)
def test_a_script_without_a_suffix_and_what_code_is_generated_from_is_source(tmp_path: Path, name: str, text: str):
    (file := tmp_path / name).parent.mkdir(exist_ok=True)
    file.write_text(text)
    sources = Sources()

    assert sources.read(str(file)) is not None
    assert sources.refusal(str(file)) == ""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc here")
def test_a_file_of_the_system_about_a_process_is_no_source():
    assert Sources().read("/proc/self/environ") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [("secrets.py", "x = 1\n"), (".git/hooks/pre-commit", "#!/usr/bin/env python3\n"), (".git/x.c", "int x;\n")],
)
def test_a_program_is_source_wherever_it_lies(tmp_path: Path, name: str, text: str):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)

    source = Sources().read(str(file))

    assert source is not None
    assert source.text == text


def test_a_header_of_nothing_but_blank_lines_is_c():
    assert SourceFile("/w/till.h", "\n" * 1_000_000).language == "c"


def test_threads_that_come_at_once_get_the_same_file_and_the_same_tree(tmp_path: Path):
    file = tmp_path / "wide.py"
    file.write_text("".join(f"x{n} = {n}\n" for n in range(500)))
    sources, began = Sources(), Barrier(4)

    def read(_: int) -> tuple[SourceFile | None, Index | None]:
        began.wait()
        source = sources.read(str(file))
        return source, source.index if source else None

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(read, range(4)))
    assert len({(id(source), id(index)) for source, index in found}) == 1

"""Whether a program left a core file: by build id where both have one, else by name and layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.backends.native.cores import CoreOrigin, origin_of
from tests.unit.backends import elf_files

CRASHED, REBUILT, PLAIN = elf_files.with_build_id(b"one!"), elf_files.with_build_id(b"two!"), elf_files.elf({})


@pytest.fixture
def origin(tmp_path: Path):
    """`origin(core, name, program)`: of the core file's bytes, and of the program's under that name."""

    def origin(core: bytes, name: str, program: bytes) -> CoreOrigin:
        (tmp_path / "core").write_bytes(core)
        (tmp_path / name).write_bytes(program)
        return origin_of(str(tmp_path / "core"), str(tmp_path / name))

    return origin


def test_a_program_of_the_same_build_id_left_the_core_file_whatever_its_name(origin):
    assert origin(elf_files.core("/srv/shop", image=CRASHED), "renamed", CRASHED) == (True, "")


@pytest.mark.parametrize(
    ("name", "who"), [("shop", "another build of /srv/shop left it"), ("till", "/srv/shop left it")]
)
@pytest.mark.parametrize(("image", "program"), [(CRASHED, REBUILT), (CRASHED, PLAIN), (PLAIN, CRASHED)])
def test_a_program_of_another_build_id_did_not(origin, name: str, who: str, image: bytes, program: bytes):
    found = origin(elf_files.core("/srv/shop", image=image), name, program)
    assert found.same is False
    assert who in found.text and "Name the file that crashed as the program" in found.text


def test_without_build_ids_another_name_is_another_program_and_the_same_is_not_known_to_be_it(origin):
    assert origin(elf_files.core("/srv/shop"), "till", PLAIN).same is False
    found = origin(elf_files.core("/srv/shop"), "shop", PLAIN)
    assert found.same is None and "is not known" in found.text


def test_of_what_cannot_be_read_nothing_is_known(origin):
    found = origin(b"?", "shop", PLAIN)
    assert found.same is None and "is not known" in found.text

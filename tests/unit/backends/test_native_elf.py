"""What an executable or a core file tells, read from files that are written by hand, and from damaged ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.backends.native import cores, elf
from tests.unit.backends import elf_files

GCC = "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g"
ALL = (elf.binary_of, elf.is_rust, cores.is_core, cores.executable_of_core)


@pytest.fixture
def file(tmp_path: Path):
    """Writes bytes to a file and gives its path."""

    def write(data: bytes) -> str:
        path = tmp_path / "program"
        path.write_bytes(data)
        return str(path)

    return write


def test_a_program_with_debug_information_says_so(file):
    binary = elf.binary_of(file(elf_files.elf({**elf_files.unit(GCC), ".symtab": b"x"})))
    assert binary is not None
    assert (binary.debug_info, binary.stripped) == (True, False)


def test_a_program_without_symbols_is_stripped(file):
    binary = elf.binary_of(file(elf_files.elf({".text": b"x"})))
    assert binary is not None
    assert (binary.debug_info, binary.stripped) == (False, True)


@pytest.mark.parametrize(
    ("producer", "optimised"),
    [
        (GCC, False),
        (f"{GCC} -O0", False),
        (f"{GCC} -O2", True),
        (f"{GCC} -O", True),
        (f"{GCC} -Og", True),
        (f"{GCC} -O2 -O0", False),
        ("clang version 19.1.7", None),
    ],
)
def test_gcc_tells_by_its_flags_whether_it_has_optimised(file, producer, optimised):
    binary = elf.binary_of(file(elf_files.elf(elf_files.unit(producer))))
    assert binary is not None and binary.optimised is optimised


@pytest.mark.parametrize("folder", ["/rustc/59807616/library/std", "/build/gcc/src/libsanitizer/asan"])
def test_debug_information_that_comes_with_the_compiler_is_none_of_the_program(file, folder):
    binary = elf.binary_of(file(elf_files.elf(elf_files.unit(f"{GCC} -O2", folder=folder))))
    assert binary is not None
    assert (binary.debug_info, binary.optimised) == (False, None)


@pytest.mark.parametrize(
    ("symbols", "sanitizers"),
    [
        (b"\0__asan_init\0libasan.so.8\0", ["address"]),
        (b"\0__asan_init\0libasan.so.8\0__ubsan_handle_add_overflow\0", ["address", "undefined"]),
        (b"\0__tsan_init\0", ["thread"]),
        (b"\0__ubsan_handle_add_overflow\0", ["undefined"]),
        (b"\0__asan_init\0__ubsan_handle_add_overflow\0", ["address"]),  # a static runtime brings both
        (b"\0puts\0", []),
    ],
)
def test_sanitizers_are_known_by_what_the_program_calls(file, symbols, sanitizers):
    binary = elf.binary_of(file(elf_files.elf({".dynstr": symbols})))
    assert binary is not None and binary.sanitizers == sanitizers


def test_a_rust_program_is_known_by_its_comment(file):
    assert elf.is_rust(file(elf_files.elf({".comment": b"rustc version 1.95.0\0"})))
    assert not elf.is_rust(file(elf_files.elf({".comment": b"GCC: (Debian) 12.2.0\0"})))


def test_debug_information_in_a_file_beside_the_program_counts(tmp_path: Path):
    (tmp_path / "program.debug").write_bytes(elf_files.elf(elf_files.unit(GCC)))
    (tmp_path / "program").write_bytes(elf_files.elf({".gnu_debuglink": b"program.debug\0\0\0abcd"}))
    binary = elf.binary_of(str(tmp_path / "program"))
    assert binary is not None
    assert (binary.debug_info, binary.stripped) == (True, False)


def test_a_core_file_tells_its_program_and_its_signal(file, tmp_path: Path):
    program = tmp_path / "crashed"
    program.write_bytes(b"")
    core = file(elf_files.core(str(program), signal=8))
    assert cores.is_core(core)
    assert cores.executable_of_core(core) == str(program)
    assert elf.binary_of(core) is None


def test_a_core_file_without_a_mapping_of_its_program_tells_it_by_the_name_it_was_started_with(file, tmp_path: Path):
    program = tmp_path / "crashed"
    program.write_bytes(b"")
    assert cores.executable_of_core(file(elf_files.core(str(program), headers=0x999999))) == str(program)


def test_a_program_that_is_no_longer_there_is_not_told(file, tmp_path: Path):
    assert cores.executable_of_core(file(elf_files.core(str(tmp_path / "gone")))) == ""


@pytest.mark.parametrize("path", ["", "/nowhere/at/all", os.devnull, str(Path(__file__).parent), __file__])
def test_what_is_no_elf_file_tells_nothing(path):
    assert [read(path) for read in ALL] == [None, False, False, ""]


WHOLE = (
    elf_files.elf({**elf_files.unit(f"{GCC} -O2"), ".dynstr": b"\0__asan_init\0", ".comment": b"rustc version 1\0"}),
    elf_files.core("/bin/sh"),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    whole=st.sampled_from(WHOLE),
    end=st.integers(0, max(map(len, WHOLE))),
    changes=st.lists(st.tuples(st.integers(0, max(map(len, WHOLE)) - 1), st.integers(0, 255)), max_size=12),
)
def test_no_damage_to_a_file_makes_reading_it_fail(tmp_path, whole, end, changes):
    data = bytearray(whole)
    for at, byte in changes:
        if at < len(data):
            data[at] = byte
    path = tmp_path / "damaged"
    path.write_bytes(data[:end] if end % 2 else data)
    for read in ALL:
        read(str(path))


def test_a_core_file_whose_headers_name_the_same_bytes_over_and_over_is_given_up(file, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(elf, "_MAX_READ_BYTES", 32_768)
    program = tmp_path / "crashed"
    program.write_bytes(b"")

    assert cores.executable_of_core(file(elf_files.core(str(program)) + bytes(65_536))) == str(program)
    whole = bytearray(elf_files.core(str(program)))
    whole[64 + 8 : 64 + 16] = bytes(8)  # its notes begin at the file's first byte, and are as long as a file can be
    whole[64 + 32 : 64 + 40] = (1 << 40).to_bytes(8, "little")
    assert cores.executable_of_core(file(bytes(whole) + bytes(65_536))) == ""


@pytest.mark.parametrize(
    ("producer", "moving", "optimised"),
    [
        ("clang LLVM (rustc version 1.95.0)", 4, False),
        ("clang LLVM (rustc version 1.95.0)", 6, True),
        ("clang version 19.1.7", 4, True),
    ],
)
def test_of_twelve_variables_those_that_move_about_tell_whether_it_was_optimised(file, producer, moving, optimised):
    sections = elf_files.unit(producer)
    forms = [0x17] * moving + [0x18] * (12 - moving)
    variables = b"".join(bytes([n, 0x34, 0, 0x02, form, 0, 0]) for n, form in enumerate(forms, 2))
    sections[".debug_abbrev"] = sections[".debug_abbrev"][:-1] + variables + b"\0"
    binary = elf.binary_of(file(elf_files.elf(sections)))
    assert binary is not None and binary.optimised is optimised

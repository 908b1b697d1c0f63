"""Which files the agent may read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from dap_ai.agent.case.source_roots import Roots, UnreadableFileError, project_of, roots_of
from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot
from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.tool_reads import file_of
from dap_ai.protocol.contracts.inspection import Inspection
from dap_ai.protocol.contracts.question import StopEvent


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project: `shop.py` is its main script."""
    root = tmp_path / "shop"
    write(root / "shop.py", "print(1)\n")
    write(root / "pyproject.toml", "")
    return root


def write(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def case_in(root: Path, *frames: Path, cwd: Path | None = None) -> StopSnapshot:
    rows = [StackFrame(n, "f", str(path), 1, user=True) for n, path in enumerate(frames or (root / "shop.py",), 1)]
    seen = Inspection([], argv=[str(root / "shop.py")], cwd=str(cwd or root))
    return StopSnapshot(StopEvent(1, 1, None, "breakpoint"), Sources(), rows, [], seen)


def roots(root: Path, *frames: Path, libraries: tuple[Path, ...] = ()) -> Roots:
    return roots_of(case_in(root, *frames), map(str, libraries))


def refusal(found: Roots, file: Path | str) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        found.find(str(file))
    return str(caught.value)


def walked(found: Roots) -> list[str]:
    return [path.name for path in found.walk()]


def test_a_file_is_found_by_its_path_and_by_the_end_of_it(shop: Path):
    prices = write(shop / "lib" / "deep" / "prices.py")

    assert {roots(shop).find(file) for file in (str(prices), "lib/deep/prices.py", "deep/prices.py", "prices.py")} == {
        str(prices)
    }


def test_a_name_that_several_files_have_is_asked_back(shop: Path):
    write(shop / "a" / "prices.py")
    write(shop / "b" / "prices.py")

    assert "2 files end so: name more of the path" in refusal(roots(shop), "prices.py")


def test_a_file_of_the_stack_comes_before_others_of_its_name(shop: Path):
    own = write(shop / "b" / "prices.py")
    write(shop / "prices.py")

    assert roots(shop, own).find("prices.py") == str(own)


@pytest.mark.parametrize("file", ["../other/x.py", "..", "", "a\0b", "\0"])
def test_what_is_no_end_of_a_path_names_no_file(shop: Path, file: str):
    write(shop.parent / "other" / "x.py")

    assert "names no file" in refusal(roots(shop), file)


def test_a_file_outside_is_refused_whether_or_not_it_exists(shop: Path):
    there = write(shop.parent / "other" / "x.py")
    found = roots(shop)

    words = [refusal(found, path).replace(path.name, "") for path in (there, there.with_name("y.py"))]
    assert words[0] == words[1]
    assert "outside of the program's folders" in words[0]


def test_dots_in_an_absolute_path_lead_nowhere_else(shop: Path):
    write(shop.parent / "other" / "x.py")

    assert "is outside" in refusal(roots(shop), f"{shop}/../other/x.py")


def test_a_file_that_only_a_frame_calls_source_opens_neither_itself_nor_its_folder(shop: Path):
    named = write(shop.parent / "other" / "accounts", "root:x:0:0\n")
    case = case_in(shop, shop / "shop.py", named)
    case.inspection.kind, case.inspection.argv = "native", []
    found = roots_of(case)

    assert found.workspace == (shop,)
    assert "is outside" in refusal(found, named)


@pytest.mark.parametrize("folder", ["/etc", "/etc/ssl", "/proc/self", "~/.ssh"])
def test_no_folder_of_the_system_or_of_secrets_is_the_programs_wherever_it_works(shop: Path, folder: str):
    assert roots_of(case_in(shop, cwd=Path(folder).expanduser())).workspace == (shop,)


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_link_that_leads_outside_is_refused(shop: Path, is_folder: bool):
    there = write(shop.parent / "other" / "x.py")
    link = shop / ("link" if is_folder else "x.py")
    link.symlink_to(there.parent if is_folder else there)

    assert "is outside" in refusal(roots(shop), "link/x.py" if is_folder else "x.py")
    assert walked(roots(shop)) == ["pyproject.toml", "shop.py"]


def test_a_walk_ends_at_its_limit_and_says_so(shop: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dap_ai.agent.case.source_roots.MAX_WALKED", 1)
    walk = roots(shop).walk()

    assert ([path.name for path in walk], walk.is_cut) == (["pyproject.toml"], True)


def test_a_link_within_the_roots_is_followed(shop: Path):
    write(shop / "real.py")
    (shop / "name.py").symlink_to(shop / "real.py")

    assert roots(shop).find("name.py") == str(shop / "name.py")


def test_a_link_to_a_secret_under_another_name_is_refused(shop: Path):
    write(shop / ".env")
    (shop / "settings.py").symlink_to(shop / ".env")

    assert "`.env*` may hold secrets" in refusal(roots(shop), "settings.py")


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".env.local", "prod.env", "tls.pem", "Server.KEY", "id_rsa", "id_ed25519.pub", ".netrc", ".pypirc"),
        *("credentials", "credentials.json", "credentials.py", "secrets.toml", "secrets.py", "a.p12", "a.kdbx"),
        *(".git/config", ".ssh/known_hosts", ".aws/config", ".AWS/x.py"),
        *(
            "password.txt",
            "db-passwords.csv",
            "dbPassword.txt",
            "token.txt",
            "github_token",
            "vault.yml",
            ".vault_pass",
        ),
        *(
            "kubeconfig",
            "prod.kubeconfig",
            "wallet.dat",
            ".dockerconfigjson",
            ".dockercfg",
            "api_keys.json",
            "creds.ini",
        ),
        *("recovery-codes.txt", "seed_phrase.txt", "prod.tfvars", "office.ovpn", "client_secret_1.json", "pip.conf"),
    ],
)
def test_what_is_named_like_a_secret_is_neither_read_nor_walked(shop: Path, name: str):
    path = write(shop / name)

    assert "may hold secrets" in refusal(roots(shop), path)
    assert path.name not in walked(roots(shop))


@pytest.mark.parametrize(
    "name",
    [
        *("id_generator.py", "credentials_form.py", "environment.py", "keys.py", "monkey.txt", "password_form.py"),
        *("special_tokens_map.json", "tokenizer.json", "token.py", "vaulted.txt", "api.txt", "keymap.txt"),
    ],
)
def test_source_that_is_only_named_a_little_like_a_secret_is_read(shop: Path, name: str):
    assert roots(shop).find(name) if write(shop / name) else None


@pytest.mark.parametrize("name", ["notes.txt", "data.json", "README"])
def test_data_that_is_a_hard_link_is_neither_read_nor_walked(shop: Path, name: str):
    secret = write(shop.parent / "home" / ".ssh" / "id_rsa")
    (shop / name).hardlink_to(secret)

    assert "has another name" in refusal(roots(shop), shop / name)
    assert name not in walked(roots(shop))


def test_source_that_a_package_manager_linked_is_read(shop: Path):
    stored = write(shop.parent / "store" / "prices.py")
    (shop / "prices.py").hardlink_to(stored)

    assert roots(shop).find("prices.py") == str(shop / "prices.py")
    assert "prices.py" in walked(roots(shop))


def test_a_library_may_name_its_modules_like_secrets_but_not_its_keys(shop: Path):
    folder = shop.parent / "venv" / "lib" / "python3.11" / "site-packages"
    source, key = write(folder / "cloud" / "credentials.py"), write(folder / "cloud" / "private.pem")
    found = roots(shop, libraries=(folder,))

    assert found.find("cloud/credentials.py") == str(source)
    assert "may hold secrets" in refusal(found, key)


def test_what_git_ignores_is_neither_read_nor_walked(shop: Path):
    write(shop / ".gitignore", "*.log\n/build/\n")
    write(shop / "a" / "run.log")
    write(shop / "build" / "deep" / "made.py")
    found = roots(shop)

    assert ["git ignores it" in refusal(found, file) for file in ("a/run.log", "build/deep/made.py")] == [True, True]
    assert walked(found) == [".gitignore", "pyproject.toml", "shop.py"]


def test_a_nearer_gitignore_overrules_one_further_up(shop: Path):
    write(shop / ".gitignore", "*.log\n")
    write(shop / "a" / ".gitignore", "!kept.log\nlocal.py\n")
    write(shop / "a" / "kept.log")
    write(shop / "a" / "local.py")
    found = roots(shop)

    assert found.find("a/kept.log")
    assert "git ignores it" in refusal(found, "a/local.py")


def test_a_file_in_an_ignored_folder_is_not_let_in_again(shop: Path):
    write(shop / ".gitignore", "build/\n")
    write(shop / "build" / ".gitignore", "!*\n")
    write(shop / "build" / "made.py")

    assert "git ignores it" in refusal(roots(shop), "build/made.py")


def test_the_excludes_of_the_repository_count_too(shop: Path):
    write(shop / ".git" / "info" / "exclude", "mine.py\n")
    write(shop / "mine.py")

    assert "git ignores it" in refusal(roots(shop), "mine.py")


def test_the_rules_above_the_working_folder_count_up_to_the_repository(shop: Path):
    write(shop / ".gitignore", "made.py\n")
    made = write(shop / "sub" / "made.py")
    (shop / ".git").mkdir()

    assert "git ignores it" in refusal(roots_of(case_in(shop / "sub")), made)


def test_a_file_that_the_program_runs_is_read_even_where_git_ignores_it(shop: Path):
    write(shop / ".gitignore", "scratch/\n")
    own = write(shop / "scratch" / "try.py")

    assert roots(shop, own).find("scratch/try.py") == str(own)


def test_a_library_inside_an_ignored_environment_is_read_but_not_walked(shop: Path):
    write(shop / ".gitignore", ".venv/\nenvironment/\n")
    for name in (".venv", "environment"):
        folder = shop / name / "lib" / "python3.11" / "site-packages"
        source = write(folder / "pkg" / f"in{name.strip('.')}.py")
        assert roots(shop, libraries=(shop, folder)).find(str(source)) == str(source)

    assert walked(roots(shop)) == [".gitignore", "pyproject.toml", "shop.py"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "pattern",
    ["*a*a*a*b", "*a*a*a*a*a*a*a*a*b", "a?" * 40, "**/a/**/a/**/a/**/b", "[a]*" * 20, "!*a*a*a*a*a*a*a*b\nx.py"],
    ids=["few stars", "stars", "marks", "folders", "brackets", "exception"],
)
def test_no_pattern_makes_a_look_up_slow(shop: Path, pattern: str):
    write(shop / ".gitignore", pattern + "\n")
    path = write(shop / ("a" * 200) / ("a" * 200))

    with contextlib.suppress(UnreadableFileError):
        roots(shop).find(str(path))


@pytest.mark.parametrize("pattern", ["*a*b*c*d.py", "**/in/**/x/**/*.d.py", "**/in/**/y*/**/*.d.py", "*i*n*i*n*/"])
def test_a_pattern_with_many_stars_still_ignores_what_git_would(shop: Path, pattern: str):
    write(shop / ".gitignore", pattern + "\n")
    write(shop / "inin" / "in" / "x" / "y" / "a-b-c-d.d.py")

    assert "git ignores it" in refusal(roots(shop), shop / "inin/in/x/y/a-b-c-d.d.py")


def test_a_pattern_with_many_stars_leaves_other_names_alone(shop: Path):
    write(shop / ".gitignore", "*a*b*c*d.log\n**/in/**/x/**/*.y*.d\n")

    assert roots(shop).find("shop.py")


def test_rules_that_cannot_be_read_ignore_everything(shop: Path):
    write(shop / "a" / ".gitignore", "x\n" * 100_000)
    write(shop / "a" / "b.py")

    assert "git ignores it" in refusal(roots(shop), "a/b.py")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_neither_read_nor_walked(shop: Path):
    os.mkfifo(shop / "pipe.py")

    assert "a device, a pipe or a socket" in refusal(roots(shop), "pipe.py")
    assert "pipe.py" not in walked(roots(shop))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_for_rules_blocks_nothing(shop: Path):
    (shop / "a").mkdir()
    os.mkfifo(shop / "a" / ".gitignore")
    write(shop / "a" / "b.py")

    assert "git ignores it" in refusal(roots(shop), "a/b.py")


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\x7fELF\0\0", "it is binary"), (b"x" * 4_100_000, "more than 4 MB")],
    ids=["binary", "large"],
)
def test_what_is_no_source_is_not_read(shop: Path, data: bytes, words: str):
    (shop / "data").write_bytes(data)

    assert words in refusal(roots(shop), "data")


def test_a_folder_is_no_file(shop: Path):
    (shop / "pkg").mkdir()

    assert "is a folder" in refusal(roots(shop), shop / "pkg")


def test_the_home_folder_is_no_root(shop: Path, home: Path):
    secret = write(home / "diary.txt")
    found = roots_of(case_in(shop, cwd=home), [str(home), "/"])

    assert (found.workspace, found.others) == ((shop,), ())
    assert "is outside" in refusal(found, secret)


def test_the_folder_for_temporary_files_is_no_root(shop: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(shop))

    assert roots(shop).workspace == ()


def test_a_repository_in_the_home_folder_does_not_widen_a_project(home: Path):
    (home / ".git").mkdir()
    script = write(home / "code" / "shop.py")

    assert project_of(script.parent) == script.parent


def test_a_script_in_a_folder_of_a_project_is_read_with_the_whole_project(shop: Path):
    (shop / ".git").mkdir()
    write(shop / "tools" / "shop.py")

    assert roots_of(case_in(shop / "tools")).workspace == (shop,)


def test_a_fix_is_refused_outside_of_the_roots(shop: Path):
    there = write(shop.parent / "other" / "x.py")

    with pytest.raises(ValueError, match="is outside"):
        file_of(case_in(shop), str(there))


def test_a_fix_names_the_file_as_the_program_does(shop: Path):
    (shop.parent / "linked").symlink_to(shop)
    named = shop.parent / "linked" / "shop.py"

    assert file_of(case_in(shop, named), "shop.py").path == str(named)

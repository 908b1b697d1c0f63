"""Which Python is taken for a project's."""

from __future__ import annotations

import os
import sys

import pytest

from dap_ai.backends.debugpy import environments
from dap_ai.backends.debugpy.interpreters import default_python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts")


def make_python(folder, name="python"):
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / name
    python.write_text("#!/bin/sh\necho " + str(folder))
    python.chmod(0o755)
    return str(python)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of a project, which has a root above it; PATH has one Python."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "UV_PROJECT_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "root" / ".git").mkdir(parents=True)
    (tmp_path / "root" / "package").mkdir()
    (tmp_path / "root" / "package" / "pyproject.toml").touch()
    make_python(tmp_path / "system", "python3")
    monkeypatch.setenv("PATH", str(tmp_path / "system" / "bin"))
    return tmp_path / "root" / "package"


def test_the_first_on_path_comes_last(project, tmp_path):
    assert default_python(str(project)) == str(tmp_path / "system" / "bin" / "python3")


def test_an_environment_at_the_root_of_the_project_is_the_projects(project):
    python = make_python(project.parent / ".venv")
    assert default_python(str(project)) == python


def test_the_nearest_environment_wins(project):
    make_python(project.parent / ".venv")
    python = make_python(project / "venv")
    assert next(environments.of_project(str(project))).python == python


def test_an_environment_above_the_project_is_not_the_projects(project, tmp_path):
    make_python(tmp_path / ".venv")
    assert list(environments.of_project(str(project))) == []


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_the_environment_in_a_folder_of_another_user_is_not_the_projects(project):
    make_python(project.parent / ".venv")
    os.chown(project.parent, 65534, 65534)
    os.chown(project, 65534, 65534)
    assert list(environments.of_project(str(project))) == []


def test_an_active_environment_comes_before_the_projects(project, tmp_path, monkeypatch):
    make_python(project / ".venv")
    conda = make_python(tmp_path / "conda")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    assert default_python(str(project)) == conda
    active = make_python(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert default_python(str(project)) == active


def test_the_base_environment_of_conda_is_no_active_one(project, tmp_path, monkeypatch):
    python = make_python(project / ".venv")
    make_python(tmp_path / "conda")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    monkeypatch.setenv("CONDA_DEFAULT_ENV", "base")
    assert default_python(str(project)) == python


def test_uv_may_have_its_environment_elsewhere(project, monkeypatch):
    make_python(project.parent / ".venv")
    python = make_python(project.parent / "build" / "env")
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "build/env")
    assert next(environments.of_project(str(project))).python == python


def test_poetry_is_asked_where_it_has_locked_the_project(project, tmp_path):
    python = make_python(tmp_path / "cache")
    poetry = tmp_path / "system" / "bin" / "poetry"
    poetry.write_text(f'#!/bin/sh\n[ "$*" = "env info --executable" ] && echo {python}\n')
    poetry.chmod(0o755)
    assert list(environments.of_poetry(str(project))) == []
    (project / "poetry.lock").touch()
    assert [each.python for each in environments.of_poetry(str(project))] == [python]


def test_a_folder_on_path_can_be_passed_over(project, tmp_path, monkeypatch):
    own = make_python(tmp_path / "tool", "python3")
    path = [str(tmp_path / "tool" / "bin"), str(tmp_path / "system" / "bin")]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    assert next(environments.on_path()).python == own
    without = os.path.realpath(path[0])
    assert [each.python for each in environments.on_path(without)] == [f"{path[1]}/python3"]

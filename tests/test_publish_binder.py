"""What a Binder installs: exactly what the labs need, for the CPU, and the project itself."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import binder_requirements

ROOT = Path(__file__).parent.parent
BINDER = ROOT / ".binder"
LINES = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
PINNED = {canonicalize_name(Requirement(line).name): line for line in LINES if line and line[0] not in "#-"}


def test_the_file_is_what_the_tool_writes_from_the_pins():
    assert binder_requirements.requirements() == (BINDER / "requirements.txt").read_text(encoding="utf-8")


def test_every_package_has_an_exact_version():
    assert [line for line in PINNED.values() if not re.fullmatch(r"[\w.-]+==[\w.+]+(; .+)?", line)] == []


def test_a_resolver_would_add_nothing():
    """Whatever a listed package needs is listed too, so that no unpinned package, and none for CUDA, comes in."""
    missing, asked = set(), {name: {""} for name in PINNED}
    for _ in range(3):  # an extra can ask for another one
        for name in PINNED:
            for need in map(Requirement, requires(name) or ()):
                markers = [{"extra": extra, "sys_platform": "linux"} for extra in asked[name]]
                if need.marker is None or any(map(need.marker.evaluate, markers)):
                    needed = canonicalize_name(need.name)
                    missing |= {needed} - PINNED.keys()
                    asked.setdefault(needed, {""}).update(need.extras)

    assert missing == set()


def imported(code: str) -> set[str]:
    """The packages that a piece of Python imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(code)))
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {module.partition(".")[0] for module in modules}


def test_the_project_declares_what_its_modules_and_labs_import():
    own = {path.stem for path in (ROOT / "src").iterdir()}
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        code += [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    foreign = set().union(*map(imported, code)) - own - sys.stdlib_module_names
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert sorted(project["dependencies"]) == sorted(name.lower() for name in foreign)
    assert PINNED.keys() >= set(project["dependencies"])


def test_torch_is_the_build_for_cpus():
    assert re.fullmatch(r'torch==[\d.]+\+cpu; sys_platform == "linux"', PINNED["torch"])
    assert [name for name in PINNED if re.match(r"nvidia|cuda|triton", name)] == []


@pytest.mark.parametrize("tool", ["sphinx", "jupyter-book", "myst-nb", "pytest", "nbval", "ruff", "playwright"])
def test_no_tool_for_building_or_testing_is_installed(tool):
    assert tool in binder_requirements.pins()
    assert tool not in PINNED


def test_it_refers_to_no_other_file():
    """The builder installs this file before it has the rest of the repository."""
    assert [line for line in LINES if re.match(r"(-r|-c|-e|--requirement|--constraint|--editable|\.)", line)] == []


def test_python_is_pinned_and_the_project_is_installed_last():
    assert (BINDER / "runtime.txt").read_text() == "python-3.11\n"
    assert os.access(BINDER / "postBuild", os.X_OK)
    assert os.access(BINDER / "start", os.X_OK)
    assert (BINDER / "postBuild").read_text().splitlines()[-1] == "pip install --no-cache-dir --no-deps --editable ."


def test_what_binder_starts_gets_one_thread(tmp_path):
    """The builder's rule: start is called with the command to run, and must become it."""
    command = [BINDER / "start", sys.executable, "-c", "import os; print(os.environ['OMP_NUM_THREADS'], os.getppid())"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["1", str(os.getpid())]


def test_a_package_without_a_pin_is_named(monkeypatch):
    monkeypatch.setattr(binder_requirements, "pins", lambda: {"torch": "2.13.0"})

    with pytest.raises(ValueError, match=r"pins no version of .*anywidget.*, which the labs need"):
        binder_requirements.requirements()

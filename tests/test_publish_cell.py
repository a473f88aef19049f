"""The first cell of every lab: the same everywhere, silent where the code is, and able to get it where it is not."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import first_cell

ROOT = Path(__file__).parent.parent
LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def first_code(path: Path) -> nbformat.NotebookNode:
    return next(cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def run(code: str, *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True)


def without_the_code(source: str, installed: bool) -> str:
    """A program in which the book's code is not found and pip is a function that says what it was asked for."""
    return (
        "import importlib.util, subprocess\n"
        "importlib.util.find_spec = lambda name: None\n"
        "class Ended:\n"
        f"    returncode = {0 if installed else 1}\n"
        "def run(command):\n"
        "    print(*command[1:])\n"
        "    return Ended()\n"
        "subprocess.run = run\n"
    ) + first_cell.code(source)


@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.stem)
def test_every_lab_begins_with_it(lab):
    cell = first_code(lab)
    source = re.search(r'^source = "(.*)"$', cell.source, re.MULTILINE)

    assert source, "run `make notebooks`"
    assert cell.source == first_cell.code(source[1])
    assert cell.outputs == []
    assert "remove-cell" in cell.metadata.tags


def test_all_labs_have_the_same_one():
    assert len({first_code(lab).source for lab in LABS}) == 1


def test_it_says_and_does_nothing_where_the_code_is():
    """Also without a network, and with an address: nothing is asked of anyone."""
    done = run("import subprocess\nsubprocess.run = None\n" + first_cell.code("https://github.com/reader/book"))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_installs_the_code_from_the_repository_where_it_is_missing():
    done = run(without_the_code("https://github.com/reader/book", installed=True))

    assert (done.returncode, done.stdout) == (0, "-m pip install --quiet git+https://github.com/reader/book\n")


@pytest.mark.parametrize(("source", "installed"), [("", True), ("https://github.com/reader/book", False)])
def test_it_says_so_where_it_cannot(source, installed):
    done = run(without_the_code(source, installed))

    assert done.returncode == 1
    assert done.stdout == ("-m pip install --quiet git+https://github.com/reader/book\n" if source else "")
    assert done.stderr.endswith("the book's code is not here: open this lab from the book's folder, with make lab\n")


def test_it_comes_after_the_title_once_and_a_new_lab_takes_the_address_of_the_others(tmp_path, monkeypatch):
    """Also where no address is known, since the labs of a published book name it already."""
    names = [str(tmp_path / name) for name in ("new.ipynb", "old.ipynb")]
    for name, cells in zip(
        names, (["1 + 1"], [first_cell.code("https://github.com/reader/book"), "1 + 1"]), strict=True
    ):
        code = [nbformat.v4.new_code_cell(cell) for cell in cells]
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Lab"), *code]), name)
    monkeypatch.setenv("BOOK_REPOSITORY", "")
    first_cell.main(names)

    for name in names:
        sources = [cell.source for cell in nbformat.read(name, as_version=4).cells]
        assert sources == ["# Lab", first_cell.code("https://github.com/reader/book"), "1 + 1"]


def test_a_copy_of_the_book_names_its_own_address(tmp_path, monkeypatch):
    lab = tmp_path / "lab.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(first_cell.code("https://a"))]), lab)
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/other/copy")
    first_cell.main([str(lab)])

    assert first_code(lab).source == first_cell.code("https://github.com/other/copy")

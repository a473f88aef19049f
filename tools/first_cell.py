"""Give every lab the same first code cell: `first_cell.py LAB.ipynb ...`.

Where only the notebook was opened, as on Colab, the cell gets the book's code from its repository; where the code is
there, it does nothing. The repository is the one of ``_ext/address.py``, or else the one that the labs already name.
"""

import re
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "_ext"))

import address  # noqa: E402 (found through the line above)

FIRST_LINE = "# Gets the book's code where only this notebook was opened, as on Colab."
_SOURCE = re.compile(r'^source = "([^"]*)"$', re.MULTILINE)


def code(source: str) -> str:
    """The text of the cell; source is the address of the repository, or empty."""
    return f'''\
{FIRST_LINE}
import importlib
import importlib.util
import subprocess
import sys

source = "{source}"
if importlib.util.find_spec("gpt_config") is None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"git+{{source}}"]
    if not source or subprocess.run(install).returncode:
        hint = "open this lab from the book's folder, with make lab"
        raise ModuleNotFoundError(f"the book's code is not here: {{hint}}")
    importlib.invalidate_caches()'''


def named(notebook: nbformat.NotebookNode) -> str:
    """The address that the notebook's cell names; empty if there is no cell or no address in it."""
    old = _cell(notebook)
    return _SOURCE.search(old.source)[1] if old else ""


def put(notebook: nbformat.NotebookNode, source: str) -> None:
    """Make the cell, with this address, the first code cell of the notebook, after the title."""
    if old := _cell(notebook):
        old.source = code(source)
    else:
        new = nbformat.v4.new_code_cell(code(source), metadata={"tags": ["remove-cell"]})
        notebook.cells.insert(1 if notebook.cells[0].cell_type == "markdown" else 0, new)


def _cell(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    return next((cell for cell in notebook.cells if cell.source.startswith(FIRST_LINE)), None)


def main(paths: list[str]) -> None:
    labs = {path: nbformat.read(path, as_version=4) for path in paths}
    repository = address.repository(ROOT)
    source = repository.url if repository else next(filter(None, map(named, labs.values())), "")
    for path, notebook in labs.items():
        put(notebook, source)
        Path(path).write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

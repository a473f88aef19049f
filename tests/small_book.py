"""What the widget tests share: a small book built from ``tests/books/widgets``, and saved labs for it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

BOOK = ROOT / "tests" / "books" / "widgets"

# Shaped like the lab's measurement, with numbers that tell rule and depth apart: twice as much for each further depth.
CURVES = {"depths": [2, 4], "rules": ["none", "1/sqrt(2L)"], "seeds": 5, "C": 64, "curves": {}, "theory": {}}
for _i, _rule in enumerate(CURVES["rules"]):
    for _depth in CURVES["depths"]:
        _mean = [round(0.001 * (1 + k) * _depth / (1 + 2 * _i), 6) for k in range(2 * _depth + 1)]
        CURVES["curves"].setdefault(_rule, {})[str(_depth)] = {"mean": _mean, "std": [v / 10 for v in _mean]}
        CURVES["theory"].setdefault(_rule, {})[str(_depth)] = [v * 1.1 for v in _mean]


def new_book(folder: Path) -> Path:
    """A copy of the test book that finds the project's code and extension inside itself, as the real book does."""
    shutil.copytree(BOOK, folder)
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "_ext").symlink_to(ROOT / "_ext")
    return folder


def write_notebook(path: Path, outputs: list[dict]) -> None:
    """A saved lab of one cell with these outputs."""
    cell = {
        "cell_type": "code",
        "id": "only",
        "execution_count": 1,
        "metadata": {},
        "source": "glue",
        "outputs": outputs,
    }
    heading = {"cell_type": "markdown", "id": "head", "metadata": {}, "source": "# Lab"}
    metadata = {"language_info": {"name": "python", "pygments_lexer": "python"}}
    notebook = {"cells": [heading, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def glued(key: str, value) -> dict:
    """What ``glue(key, json.dumps(value), display=False)`` leaves in a saved lab."""
    return {
        "output_type": "display_data",
        "metadata": {"scrapbook": {"mime_prefix": "application/papermill.record/", "name": key}},
        "data": {"application/papermill.record/text/plain": repr(json.dumps(value))},
    }


def shown(widget) -> dict:
    """What a lab saves when a live widget is the value of a cell."""
    data, metadata = widget._repr_mimebundle_()
    return {"output_type": "display_data", "metadata": metadata, "data": data}


def sphinx(folder: Path) -> subprocess.CompletedProcess:
    """Build the book in ``folder`` to ``folder/_html``, warnings as errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-b", "html"]
    return subprocess.run([*command, str(folder), str(folder / "_html")], capture_output=True, text=True, timeout=120)

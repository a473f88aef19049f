"""Make the two labs of exercises, to be filled in and solved, from one source: those among the files that are named.

    python tools/make_exercise_labs.py notebooks/exercises.ipynb notebooks/exercises-solved.ipynb

In notebooks/exercise_labs.md text becomes Markdown cells and fenced Python becomes code cells. ⟦…⟧ is a blank: the
solved lab has its contents, the other one has three dots. ⟪…⟫ before a blank is what the other one has instead, such
as a bug to be mended. ``{statement} ID`` takes the text of an exercise from the chapter. A ``python reveal`` cell gives
an answer away; in the lab to be filled in its output is hidden until it is asked for.
The labs come out without outputs; `make notebooks` runs them afterwards.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "notebooks" / "exercise_labs.md"
CHAPTER = ROOT / "chapters" / "exercises.md"
LABS = {"exercises.ipynb": False, "exercises-solved.ipynb": True}

# In the page and in JupyterLab.
HIDDEN_OUTPUT = {"tags": ["hide-output"], "jupyter": {"outputs_hidden": True}}

_FENCE = re.compile(r"^```python(?P<reveal> reveal)?\n(?P<code>.*?)\n```$", re.DOTALL | re.MULTILINE)
_BLANK = re.compile(r"(?:⟪(?P<given>.*?)⟫)?⟦(?P<solved>.*?)⟧", re.DOTALL)
_STATEMENT = re.compile(r"^\{statement\} (\S+)$", re.MULTILINE)


def lab(source: str, chapter: str, solved: bool) -> nbformat.NotebookNode:
    """One of the two labs, as a notebook without outputs."""
    source = _BLANK.sub(lambda blank: blank["solved"] if solved else _unsolved(blank), source)
    cells = []

    def add_text(text: str) -> None:
        # Headings begin a cell of their own, so that a lab can be folded by exercise.
        for part in re.split(r"\n(?=## )", text.strip()):
            if part:
                cells.append(new_markdown_cell(_STATEMENT.sub(lambda m: _statement(chapter, m[1]), part.strip())))

    end = 0
    for fence in _FENCE.finditer(source):
        add_text(source[end : fence.start()])
        hidden = fence["reveal"] and not solved
        cells.append(new_code_cell(fence["code"], metadata=HIDDEN_OUTPUT if hidden else {}))
        end = fence.end()
    add_text(source[end:])

    for number, cell in enumerate(cells, start=1):
        cell.id = f"cell-{number:02}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _unsolved(blank: re.Match) -> str:
    return "..." if blank["given"] is None else blank["given"]


def _statement(chapter: str, name: str) -> str:
    label = rf"^```{{exercise}}[^\n]*\n:label: exercise-{re.escape(name)}\n\n(.*?)\n```$"
    statement = re.search(label, chapter, re.DOTALL | re.MULTILINE)
    if statement is None:
        raise ValueError(f"{CHAPTER.name} has no exercise with the label exercise-{name}")
    return statement[1]


def main(names: list[str]) -> None:
    source, chapter = SOURCE.read_text(encoding="utf-8"), CHAPTER.read_text(encoding="utf-8")
    for path in map(Path, names):
        if path.name in LABS:
            text = nbformat.writes(lab(source, chapter, LABS[path.name]))
            path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

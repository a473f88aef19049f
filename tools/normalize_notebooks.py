"""Give saved labs one form, so that running them again changes nothing but results.

    python tools/normalize_notebooks.py notebooks/*.ipynb

Cells get the ids cell-01, cell-02, ... and code cells the counts 1, 2, ...; of the metadata only tags, figure
options and what JupyterLab hides stay. Widgets' states and views go, since a saved page has no kernel for them. Pieces
of a stream are joined.
A lab that wrote to stderr, failed, or shows an object's address is refused, and no file is changed.
"""

import re
import sys
from pathlib import Path

import nbformat

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_CELL_METADATA = ("jupyter", "mystnb", "tags")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")


def normalize(notebook: nbformat.NotebookNode) -> None:
    """Bring ``notebook`` into the form above, in place; raises ValueError for what has no place in a saved lab."""
    notebook.metadata = nbformat.from_dict(METADATA)
    count = 0
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02}"
        cell.metadata = nbformat.from_dict({k: cell.metadata[k] for k in KEPT_CELL_METADATA if cell.metadata.get(k)})
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = _joined_streams(cell.outputs)
        for output in cell.outputs:
            _refuse(output, cell.id)
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "execute_result":
                output.execution_count = count


def _joined_streams(outputs: list) -> list:
    """The outputs, with neighbouring pieces of one stream as one: where a stream is cut is chance."""
    joined = []
    for output in outputs:
        is_stream = output.output_type == "stream"
        if is_stream and joined and joined[-1].output_type == "stream" and joined[-1].name == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _refuse(output: nbformat.NotebookNode, cell_id: str) -> None:
    if output.output_type == "error":
        raise ValueError(f"{cell_id} failed: {output.ename}: {output.evalue}")
    if output.get("name") == "stderr":
        raise ValueError(f"{cell_id} wrote to stderr: {output.text.strip()[:200]}")
    texts = [text for kind, text in output.get("data", {}).items() if kind.startswith("text/")]
    if found := _ADDRESS.search("\n".join([output.get("text", ""), *texts])):
        raise ValueError(f"{cell_id} shows an object's address, which changes from run to run: {found[0]}")


def main(names: list[str]) -> None:
    texts = {}
    for name in names:
        notebook = nbformat.read(name, as_version=4)
        try:
            normalize(notebook)
        except ValueError as error:
            raise SystemExit(f"{name}: {error}") from None
        texts[name] = nbformat.writes(notebook) + "\n"
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

"""The form of a saved lab: tools/normalize_notebooks.py."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from conftest import ROOT
from normalize_notebooks import WIDGET_VIEW, main, normalize

LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def notebook(*outputs):
    """A notebook of one text and one code cell, as JupyterLab may leave it."""
    cell = new_code_cell(
        "1",
        execution_count=7,
        outputs=list(outputs),
        metadata={"execution": {"iopub.execute_input": "2026-01-01"}, "tags": ["a"]},
    )
    return new_notebook(cells=[new_markdown_cell("text"), cell], metadata={"widgets": {"state": {}}, "toc": 1})


def test_what_changes_from_run_to_run_is_removed():
    """Counts start at 1, ids follow the order, timings and widgets' states go, tags stay."""
    lab = notebook(new_output("execute_result", {"text/plain": "1", WIDGET_VIEW: {}}, execution_count=7))
    normalize(lab)
    text, code = lab.cells

    assert (text.id, code.id, code.execution_count, code.outputs[0].execution_count) == ("cell-01", "cell-02", 1, 1)
    assert code.metadata == {"tags": ["a"]}
    assert code.outputs[0].data == {"text/plain": "1"}
    assert set(lab.metadata) == {"kernelspec", "language_info"}


def test_pieces_of_a_stream_are_joined():
    """Where a stream is cut is chance; the next kind of output ends it."""
    result = new_output("display_data", {"text/plain": "x"})
    a, b, c = (new_output("stream", text=text) for text in ("a\n", "b\n", "c"))
    lab = notebook(a, b, result, c)
    normalize(lab)

    assert [output.get("text", "x") for output in lab.cells[1].outputs] == ["a\nb\n", "x", "c"]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (new_output("stream", name="stderr", text="careful"), "cell-02 wrote to stderr: careful"),
        (new_output("error", ename="KeyError", evalue="'x'", traceback=[]), "cell-02 failed: KeyError: 'x'"),
        (new_output("display_data", {"text/plain": "<f at 0x7f00aa11bb>"}), "cell-02 shows an object's address, .*"),
        (new_output("display_data", {"text/html": "a <f at 0x7f00aa11bb>"}), "cell-02 shows an object's address, .*"),
    ],
)
def test_what_has_no_place_in_a_lab_is_refused_and_nothing_changed(output, message, tmp_path):
    """The message says where and what; the file stays as it was, and so do the others."""
    good, bad = tmp_path / "good.ipynb", tmp_path / "bad.ipynb"
    nbformat.write(notebook(), good)
    nbformat.write(notebook(output), bad)
    before = good.read_bytes(), bad.read_bytes()

    with pytest.raises(SystemExit, match=f"bad.ipynb: {message}"):
        main([str(good), str(bad)])
    assert (good.read_bytes(), bad.read_bytes()) == before


@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.stem)
def test_committed_labs_have_this_form(lab):
    """Running the tool on a committed lab changes nothing."""
    saved = nbformat.read(lab, as_version=4)
    normalize(saved)

    assert nbformat.writes(saved) + "\n" == lab.read_text(encoding="utf-8")

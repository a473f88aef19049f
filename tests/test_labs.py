"""The committed labs: run top to bottom, alone in an empty folder, small, fresh, and in agreement with the mechanics.

What they print is compared by nbval; here is what nbval does not look at.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from claims import CLAIMS
from figures import _inline_svg
from verify_mechanics import run_checks

ROOT = Path(__file__).parent.parent
LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MAX_BYTES = 10**9
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def saved(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def glued(notebook) -> dict:
    """{name: value} of what the lab hands to the prose."""
    values = {}
    for cell in code_cells(notebook):
        for output in cell.outputs:
            record = output.get("metadata", {}).get("scrapbook")
            if record:
                values[record["name"]] = ast.literal_eval(output["data"][record["mime_prefix"] + "text/plain"])
    return values


def figures(notebook) -> dict[str, str]:
    """{name: inline SVG} of the figure cells."""
    drawings = {}
    for cell in code_cells(notebook):
        figure = cell.metadata.get("mystnb", {}).get("figure")
        if figure:
            html = [output["data"]["text/html"] for output in cell.outputs if "text/html" in output.get("data", {})]
            drawings[figure["name"]] = "".join(html)
    return drawings


@pytest.fixture(scope="module", params=LABS, ids=lambda path: path.stem)
def lab(request):
    return request.param


@pytest.fixture(scope="module")
def mechanics():
    """{key: value} of what verify_mechanics measures."""
    return {check.key: check.measured for check in run_checks()}


@pytest.fixture(scope="module")
def executed(lab, tmp_path_factory):
    """The lab run in an empty folder; a last cell reports the kernel's peak memory in bytes."""
    notebook = saved(lab)
    probe = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    notebook.cells.append(nbformat.v4.new_code_cell(probe))
    folder = tmp_path_factory.mktemp(lab.stem)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    notebook.folder = folder
    return notebook


def test_it_was_run_top_to_bottom(lab):
    counts = [cell.execution_count for cell in code_cells(saved(lab)) if cell.source.strip()]

    assert counts == list(range(1, len(counts) + 1))


def test_it_holds_no_widget_state_no_warnings_and_no_errors(lab):
    notebook = saved(lab)
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]

    assert "widgets" not in notebook.metadata
    assert [o for o in outputs if o.get("name") == "stderr" or o.output_type == "error"] == []


def test_its_cells_are_short(lab):
    lengths = sorted(len(cell.source.splitlines()) for cell in code_cells(saved(lab)))

    assert lengths[-1] <= 15
    assert lengths[len(lengths) // 2] <= 6


def test_it_names_no_path_and_no_address(lab):
    text = lab.read_text(encoding="utf-8")

    assert str(ROOT) not in text
    assert not re.search(r"/home/|/root/|/Users/|0x[0-9a-f]{8,}", text)


def test_its_text_reads_the_same_in_a_notebook_and_in_the_book(lab):
    """Roles of the book's builder would stand there raw in JupyterLab; captions are seen in the book only."""
    text = "".join(cell.source for cell in saved(lab).cells if cell.cell_type == "markdown")

    assert re.findall(r"\{[a-z:]+\}`", text) == []


def test_every_value_that_it_hands_over_is_read(lab, mechanics):
    """In a chapter or a widget of it, in a caption, in the reason of a verdict; or it is held against the mechanics."""
    notebook = saved(lab)
    chapters = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("*.md"))
    captions = "".join(cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "") for cell in notebook.cells)
    reasons = "".join(claim.reason for claim in CLAIMS if lab.stem == "claims")
    read = {*re.findall(rf"{lab.name}::(\w+)", chapters), *re.findall(r"\{glue:\w+\}`(\w+)", captions)}

    unread = glued(notebook).keys() - read - set(re.findall(r"\{(\w+)", reasons)) - mechanics.keys()

    assert unread == set(), f"{lab.name} hands over what nobody reads: {', '.join(sorted(unread))}"


def test_its_figures_have_a_caption_that_states_a_finding_and_an_alternative_text(lab):
    for cell in code_cells(saved(lab)):
        figure = cell.metadata.get("mystnb", {}).get("figure")
        if figure:
            svg = figures(nbformat.v4.new_notebook(cells=[cell]))[figure["name"]]
            label = re.search(r'aria-label="([^"]*)"', svg)[1]

            assert re.match(r"\*\*.+?\*\*", figure["caption"]), figure["name"]
            assert 10 <= len(label.split()) <= 40, label
            assert "currentColor" in svg
            assert any("image/png" in output.get("data", {}) for output in cell.outputs), figure["name"]


def test_its_figures_are_fresh(lab, executed):
    """Drawn again, every figure is the committed one: the same elements, no coordinate off by half a point."""
    before, after = figures(saved(lab)), figures(executed)

    assert before.keys() == after.keys()
    for name, svg in before.items():
        assert same_drawing(svg, after[name]), f"{name} is stale: run `make notebooks`"


def same_drawing(a: str, b: str) -> bool:
    if NUMBER.sub("0", a) != NUMBER.sub("0", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= 0.5 for x, y in pairs)


def test_a_moved_point_is_a_stale_drawing():
    assert same_drawing('<path d="M 1.2 3"/>', '<path d="M 1.3 3"/>')
    assert not same_drawing('<path d="M 1.2 3"/>', '<path d="M 2.2 3"/>')
    assert not same_drawing('<path d="M 1.2 3"/>', '<path d="M 1.2 3 L 1 1"/>')


def test_it_leaves_no_file_behind(executed):
    assert list(executed.folder.iterdir()) == []


def test_it_needs_less_than_a_gigabyte(executed):
    peak = int(executed.cells[-1].outputs[0].text)

    assert peak < MAX_BYTES


def test_shorter_coordinates_leave_what_is_to_be_read():
    """Only numbers within tags are rounded."""
    svg = '<svg viewBox="0 0 1.23456 2"><path d="M 0.98765 1"/><text>1.0049 nats at 0.125</text></svg>'

    assert '<path d="M 0.99 1"/><text>1.0049 nats at 0.125</text>' in _inline_svg(svg, "A curve")


def test_the_labs_agree_with_the_mechanics(mechanics):
    """A value that a lab hands to the prose under a name that verify_mechanics measures is that measurement."""
    values = {name: value for path in LABS for name, value in glued(saved(path)).items()}
    shared = mechanics.keys() & values.keys()

    assert {name: values[name] for name in shared} == {name: mechanics[name] for name in shared}
    assert {"tiny_unique", "tiny_without_positions", "tiny_no_bias", "gpt2_stored", "padded", "decayed"} <= shared


def test_the_labs_need_no_book_builder():
    """What Binder installs has no Sphinx; the labs import nothing of it."""
    program = (
        "import sys; import exercises, figures, glue, gpt, residuals, sizing, verify_mechanics\n"
        "print({'sphinx', 'myst_nb', 'docutils'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout == "set()\n"

"""``{laboutput}`` and ``{labfigure}``: what a lab shows, in a chapter, without a second copy."""

import os
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup

from conftest import ROOT

CONF = """extensions = ["myst_nb", "lab_directives"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
numfig = True
"""
TABLE = "| part | count |\n| :-- | --: |\n| blocks | 1,234 |"
CAPTION = "**Three of {glue:text}`total:d` grow.** Read it from left to right."
GOOD = """See {numref}`fig-bars`.

:::{laboutput} lab out-table
:::

:::{laboutput} lab out-tree
:::

:::{labfigure} lab fig-bars
:::
"""
WRONG = {
    "{laboutput} lab out-tabel": "lab 'lab' has no output 'out-tabel'; it has: out-table, out-tree",
    "{laboutput} lob out-table": "there is no lab 'lob': lob.ipynb is not in notebooks/",
    "{labfigure} lab fig-bar": "lab 'lab' has no figure 'fig-bar'; it has: fig-bars",
    "{labfigure} lub fig-bars": "there is no lab 'lub': lub.ipynb is not in notebooks/",
}


def shown(data, **metadata):
    """A cell that shows ``data``, with this metadata."""
    output = nbformat.v4.new_output("display_data", data, metadata=metadata.pop("output", {}))
    return nbformat.v4.new_code_cell("1", execution_count=1, outputs=[output], metadata=metadata)


def build(folder, text):
    """Make a book of one lab and one chapter that says ``text``; returns the chapter's page and the warnings."""
    record = "application/papermill.record/"
    glued = {"scrapbook": {"name": "total", "mime_prefix": record}}
    figure = {"figure": {"name": "lab-fig-bars", "caption": CAPTION}}
    both = shown({"text/markdown": TABLE, "text/plain": "Markdown"}, tags=["out-table"])
    both.outputs.append(nbformat.v4.new_output("execute_result", {"text/plain": "None"}, execution_count=1))
    lab = nbformat.v4.new_notebook(
        metadata={"language_info": {"name": "python", "pygments_lexer": "python"}},
        cells=[
            nbformat.v4.new_markdown_cell("# Lab"),
            shown({f"{record}text/plain": "7"}, output=glued),
            both,
            shown({"text/plain": "a: Linear\n    b: GELU"}, tags=["out-tree"]),
            shown({"text/html": '<svg role="img" aria-label="Bars"></svg>'}, mystnb=figure),
        ],
    )
    (folder / "notebooks").mkdir()
    nbformat.write(lab, folder / "notebooks" / "lab.ipynb")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    (folder / "index.md").write_text(f"# Chapter\n\n{text}\n```{{toctree}}\nnotebooks/lab\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "--keep-going", str(folder), str(folder / "_html")]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "_ext")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    html = (folder / "_html" / "index.html").read_text(encoding="utf-8")
    return BeautifulSoup(html, "html.parser"), done.stderr


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return build(tmp_path_factory.mktemp("good"), GOOD)


@pytest.fixture(scope="module")
def warnings(tmp_path_factory):
    text = "".join(f":::{directive}\n:::\n\n" for directive in WRONG)
    return build(tmp_path_factory.mktemp("wrong"), text)[1]


def test_what_is_right_gives_no_warning(good):
    assert good[1] == ""


def test_a_table_of_the_lab_is_a_table_of_the_chapter(good):
    assert [td.text for td in good[0].select("table td")] == ["blocks", "1,234"]


def test_printed_text_keeps_its_spaces(good):
    assert good[0].select_one("div.highlight pre").text == "a: Linear\n    b: GELU\n"


def test_a_figure_brings_its_caption_with_the_labs_number_and_a_link(good):
    figure = good[0].select_one("figure")

    assert figure.svg["aria-label"] == "Bars"
    assert "Three of 7 grow." in figure.figcaption.text
    assert "Measured in the lab." in figure.figcaption.text
    assert figure.find("a", href="notebooks/lab.html")
    assert "See Fig. 1." in good[0].text


@pytest.mark.parametrize(("directive", "message"), WRONG.items())
def test_a_wrong_name_is_an_error_that_lists_the_right_ones(warnings, directive, message):
    line = 3 + 3 * list(WRONG).index(directive)

    assert f"index.md:{line}: ERROR: {message}" in warnings

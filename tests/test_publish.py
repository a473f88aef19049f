"""The published book: ways into the labs, downloads, addresses, cards, the map of the site, a wrong address."""

import json
import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from PIL import Image
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import docutils_namespace, patch_docutils

import address
import make_exercise_labs
import publish

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://github.com/reader/book"
SITE = "https://reader.github.io/book/"
CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "_ext")!r})
extensions = ["myst_nb", "publish"]
root_doc = "chapters/index"
html_theme = "sphinx_book_theme"
html_title = "A small book"
templates_path = [{str(ROOT / "_ext" / "templates")!r}]
html_static_path = [{str(ROOT / "_static")!r}]
nb_execution_mode = "off"
suppress_warnings = ["config.cache"]
"""
INDEX = """# Start

A first paragraph.

```{toctree}
config
../notebooks/config
```
"""


def build(folder: Path, **variables: str) -> Path:
    """Build a book of a first page, a chapter and its lab, which knows where to get the code; warnings are errors."""
    texts = {"conf.py": CONF, "chapters/index.md": INDEX, "chapters/config.md": "# 4.1 Read\n\nText.\n"}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    lab = notebook_with(f'source = "{REPOSITORY}"')
    (folder / "notebooks").mkdir()
    nbformat.write(lab, folder / "notebooks" / "config.ipynb")
    html = folder / "html"
    variables = {"BOOK_REPOSITORY": "", "BOOK_SITE": "", "BOOK_DOWNLOADS": ""} | variables
    with pytest.MonkeyPatch.context() as patch, patch_docutils(), docutils_namespace():
        for name, value in variables.items():
            patch.setenv(name, value)
        app = Sphinx(folder, folder, html, folder / "doctrees", "html", status=None, warningiserror=True)
        app.build()
    assert app.statuscode == 0
    return html


def notebook_with(code: str) -> nbformat.NotebookNode:
    cells = [
        nbformat.v4.new_markdown_cell("# Lab: run & see", id="cell-01"),
        nbformat.v4.new_code_cell(code, id="cell-02"),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    """The small book where no address is known."""
    return build(tmp_path_factory.mktemp("unpublished"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The small book with the addresses of its repository and its site, and with downloads."""
    folder = tmp_path_factory.mktemp("published")
    return build(folder, BOOK_REPOSITORY=REPOSITORY, BOOK_SITE=SITE, BOOK_DOWNLOADS="1")


def read(html: Path, page: str) -> str:
    return (html / page).read_text(encoding="utf-8")


def links(text: str) -> list[str]:
    return re.findall(r'<a\b[^>]*href="([^"]+)"', text)


def test_an_edit_of_an_exercise_lab_is_made_in_its_source():
    edited = {publish.edited_file(f"notebooks/{name}") for name in make_exercise_labs.LABS}

    assert edited == {make_exercise_labs.SOURCE.relative_to(ROOT).as_posix()}
    assert publish.edited_file("notebooks/growth.ipynb") == "notebooks/growth.ipynb"


def test_a_lab_is_launched_where_its_repository_is_known(published):
    page = read(published, "notebooks/config.html")

    assert "https://mybinder.org/v2/gh/reader/book/main?urlpath=lab/tree/notebooks/config.ipynb" in links(page)
    assert "https://colab.research.google.com/github/reader/book/blob/main/notebooks/config.ipynb" in links(page)
    assert "git clone https://github.com/reader/book &amp;&amp; cd book &amp;&amp; make lab" in page


@pytest.mark.parametrize(
    ("owner", "name", "offered"), [("reader", "book", True), ("other", "book", False), ("reader", "boo", False)]
)
def test_colab_is_offered_only_for_a_lab_that_can_get_the_code(tmp_path, owner, name, offered):
    """The first cell names one repository; in a copy of the book elsewhere it would fetch another book's code."""
    nbformat.write(notebook_with(f'source = "{REPOSITORY}"'), tmp_path / "lab.ipynb")
    html = publish.lab_links(address.Repository(owner, name), tmp_path, "lab.ipynb", lambda page, resource: page)

    assert f"mybinder.org/v2/gh/{owner}/{name}/" in html
    assert ("colab" in html) == offered


def test_without_an_address_a_line_says_how_to_run_it_and_no_link_leads_out(unpublished):
    page = read(unpublished, "notebooks/config.html")
    out = [link for link in links(page) if link.startswith("http") and "sphinx-book-theme" not in link]

    assert "type <code>make lab</code> in the folder of the book" in page
    assert [link for link in out if re.search("binder|colab|github", link)] == []


def test_without_an_address_the_folder_of_the_book_is_a_download_where_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_DOWNLOADS", "1")
    html = publish.lab_links(None, tmp_path, "notebooks/config.ipynb", lambda page, resource: f"../{page}")

    assert "../downloads/from-configuration-to-parameters-source.zip" in links(html)

    monkeypatch.setenv("BOOK_DOWNLOADS", "0")
    html = publish.lab_links(None, tmp_path, "notebooks/config.ipynb", lambda page, resource: f"../{page}")

    assert [link for link in links(html) if link.endswith(".zip")] == []


def test_a_chapter_leads_to_its_lab(unpublished):
    page = read(unpublished, "chapters/config.html")

    assert '<p class="launch">Run it yourself: <a href="../notebooks/config.html">Lab: run &amp; see</a>.</p>' in page


def test_every_way_into_a_lab_leads_to_a_committed_file():
    """Binder and Colab open the path in the repository, so it must be there under this very name."""
    command = ["git", "-C", str(ROOT), "ls-files", "notebooks/*.ipynb"]
    committed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    labs = [f"{lab}.ipynb" for lab in re.findall(r"file: (notebooks/\S+)", toc)]

    assert labs
    assert [lab for lab in labs if lab not in committed] == []


def test_a_lab_is_a_download_as_notebook_and_as_script(unpublished):
    page = read(unpublished, "notebooks/config.html")
    notebook, script = (unpublished / "downloads" / f"lab-config.{suffix}" for suffix in ("ipynb", "py"))

    assert {"../downloads/lab-config.ipynb", "../downloads/lab-config.py"} <= set(links(page))
    assert json.loads(notebook.read_text(encoding="utf-8"))["cells"][1]["source"] == [f'source = "{REPOSITORY}"']
    assert f'# %%\nsource = "{REPOSITORY}"' in script.read_text(encoding="utf-8")


def test_a_script_does_not_hide_a_module_from_itself():
    """Python looks beside a script first, so that exercises.py could not import the module of that name."""
    scripts = {Path(publish.lab_files(lab.stem)[1]).stem for lab in (ROOT / "notebooks").glob("*.ipynb")}

    assert scripts
    assert scripts & {path.stem for path in (ROOT / "src").iterdir()} == set()


def test_a_reader_can_mend_a_page_where_the_repository_is_known(published, unpublished):
    page = read(published, "chapters/config.html")

    assert f"{REPOSITORY}/edit/main/chapters/config.md" in links(page)
    assert f"{REPOSITORY}/issues/new?template=mistake.yml&amp;page=chapters/config" in links(page)
    assert "Suggest an edit" not in read(unpublished, "chapters/config.html")


def test_the_form_for_a_mistake_has_the_field_that_the_link_fills():
    form = (ROOT / ".github" / "ISSUE_TEMPLATE" / "mistake.yml").read_text(encoding="utf-8")

    assert re.search(r"^ +id: page$", form, re.MULTILINE)
    assert re.search(r"^ +id: configuration$", form, re.MULTILINE)


def test_each_page_has_its_canonical_address_and_a_card(published, unpublished):
    page = read(published, "chapters/config.html")
    card = published / "_static" / "cards" / "chapters-config.png"

    assert f'<link rel="canonical" href="{SITE}chapters/config.html" />' in page
    assert f'<meta property="og:image" content="{SITE}_static/cards/chapters-config.png" />' in page
    assert '<meta property="og:title" content="4.1 Read" />' in page
    assert Image.open(card).size == (1200, 630)
    assert card.stat().st_size < 50_000
    assert "og:" not in read(unpublished, "chapters/config.html")
    assert 'rel="canonical"' not in read(unpublished, "chapters/config.html")


def test_the_map_of_the_site_lists_exactly_its_pages(published, unpublished):
    found = [entry.text for entry in ElementTree.parse(published / "sitemap.xml").iter() if entry.tag.endswith("loc")]

    assert found == [f"{SITE}{page}.html" for page in ("chapters/config", "chapters/index", "notebooks/config")]
    assert all((published / address.removeprefix(SITE)).is_file() for address in found)
    assert not (unpublished / "sitemap.xml").exists()


def test_a_wrong_address_is_answered_at_any_depth(published):
    """The server shows the page wherever the wrong address pointed, so that no relative link would do."""
    page = read(published, "404.html")

    assert [link for link in links(page) if not link.startswith(SITE)] == []
    assert f"{SITE}chapters/config.html" in links(page)
    assert "Lab: run &amp; see" in page
    assert "<script" not in page


def test_the_first_page_offers_the_downloads_that_are_made(published, unpublished):
    name = "../downloads/from-configuration-to-parameters"

    assert {f"{name}.pdf", f"{name}.zip", f"{name}-source.zip"} <= set(links(read(published, "chapters/index.html")))
    assert "downloads/" not in read(unpublished, "chapters/index.html")


def test_a_variable_that_holds_no_address_is_named(monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "reader/book")
    monkeypatch.setenv("BOOK_SITE", "reader.github.io")

    with pytest.raises(ValueError, match=r"^BOOK_REPOSITORY is 'reader/book'; it must look like https://github\.com/"):
        address.repository(ROOT)
    with pytest.raises(ValueError, match=r"^BOOK_SITE is 'reader\.github\.io'; it must look like https://OWNER"):
        address.site()


def test_an_address_that_is_none_stops_the_build(monkeypatch):
    monkeypatch.setenv("BOOK_SITE", "reader.github.io")
    app = SimpleNamespace(srcdir=ROOT)

    with pytest.raises(ConfigError, match=r"BOOK_SITE is 'reader\.github\.io'"):
        publish.read_addresses(app, SimpleNamespace())


@pytest.mark.parametrize(
    "origin",
    [
        "https://github.com/reader/book",
        "https://github.com/reader/book.git",
        "https://token@github.com/reader/book.git",
        "git@github.com:reader/book.git",
        "ssh://git@github.com/reader/book",
    ],
)
def test_the_repository_is_read_from_origin(tmp_path, monkeypatch, origin):
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", origin], check=True)

    assert address.repository(tmp_path) == address.Repository("reader", "book")


@pytest.mark.parametrize("origin", ["../elsewhere", "https://example.org/reader/book.git", None])
def test_an_origin_elsewhere_is_no_address(tmp_path, monkeypatch, origin):
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    if origin:
        subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", origin], check=True)

    assert address.repository(tmp_path) is None


def test_what_is_cited_is_this_version_of_this_book():
    """With a day of release and, as long as nobody is named, an entity as author."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    title = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert (cited["title"], cited["version"]) == (title, project["version"])
    assert isinstance(cited["date-released"], date)
    assert cited["authors"] == [{"name": f"The authors of {title}"}]

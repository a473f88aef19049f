"""The published site as a whole: equal builds, the zip, the PDF, and the workflows that make them."""

import filecmp
import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from bs4 import BeautifulSoup
from pypdf import PdfReader

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import pack_site  # noqa: E402 (found through the line above)
import print_chapter  # noqa: E402

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAX_PDF_BYTES = 5_000_000
DOWNLOADS = ("downloads/book.pdf", "downloads/book-source.zip")
FIRST_PAGE = '<a href="../downloads/book.pdf">PDF</a>{zip}, <a href="../downloads/book-source.zip">folder</a>.'


def files(folder: Path) -> list[str]:
    """What is published; .buildinfo is Sphinx's own note on the settings of the environment that built it."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != ".buildinfo")
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_two_builds_are_identical(book, tmp_path):
    """Another folder, another order of Python's sets: the same pages, to the byte."""
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", ROOT, "--path-output", tmp_path, "--quiet"]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    again = tmp_path / "_build" / "html"

    assert files(again) == files(book)
    assert filecmp.cmpfiles(book, again, files(book), shallow=False)[1:] == ([], [])


def small_site(folder: Path) -> Path:
    """A whole site in its smallest form: every page of the table of contents, with a sentence."""
    for path in pack_site.missing(empty_site(folder)):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("<p>A sentence.</p>", encoding="utf-8")
    return folder


def empty_site(folder: Path) -> Path:
    first = folder / "chapters" / "index.html"
    first.parent.mkdir(parents=True)
    first.write_text(FIRST_PAGE.format(zip='<span class="only-online">, zip</span>'), encoding="utf-8")
    return folder


def test_a_site_without_a_page_or_a_promised_download_is_not_published(tmp_path):
    site = small_site(tmp_path / "site")
    for path in ("chapters/counting.html", "notebooks/growth.html", "downloads/lab-growth.py", *DOWNLOADS):
        (site / path).unlink()
    run = subprocess.run(
        [sys.executable, ROOT / "tools" / "pack_site.py", site, tmp_path / "site.zip"], capture_output=True, text=True
    )

    assert run.returncode == 1
    assert run.stderr == (
        f"{site} is not whole; it lacks chapters/counting.html, notebooks/growth.html, "
        "downloads/lab-growth.py, downloads/book.pdf, downloads/book-source.zip\n"
    )
    assert not (tmp_path / "site.zip").exists()


def test_the_zip_holds_the_whole_site_and_no_date(tmp_path):
    site = small_site(tmp_path / "site")
    zips = tmp_path / "a" / "book.zip", tmp_path / "b" / "book.zip"
    for target, modified in zip(zips, (10**9, 2 * 10**9), strict=True):
        target.parent.mkdir()
        os.utime(site / "index.html", (modified, modified))
        pack_site.pack(site, target)
    with ZipFile(zips[0]) as archive:
        names = archive.namelist()
        first = archive.read("book/chapters/index.html").decode()

    assert names == [f"book/{name}" for name in files(site)]
    assert first == FIRST_PAGE.format(zip="")
    assert zips[0].read_bytes() == zips[1].read_bytes()


@pytest.fixture(scope="module")
def document(book):
    """The built chapter as one document."""
    return BeautifulSoup(print_chapter.assemble(book, print_chapter.chapter_pages()), "html.parser")


def printed(book: Path, target: Path) -> Path:
    """The PDF, made by the command: a second browser may not start in the process that has one."""
    subprocess.run([sys.executable, ROOT / "tools" / "print_chapter.py", book, target], check=True)
    return target


@pytest.fixture(scope="module")
def pdf(book, tmp_path_factory):
    return printed(book, tmp_path_factory.mktemp("pdf") / "chapter.pdf")


def test_the_printed_document_holds_each_page_and_leads_nowhere_else(document):
    names = {element["id"] for element in document.find_all(id=True)}
    targets = [link["href"] for link in document.select("a[href]")]

    assert [f"{page.removeprefix('chapters/')}--" not in names for page in print_chapter.chapter_pages()].count(
        True
    ) == 0
    assert [target for target in targets if not target.startswith("#")] == []
    assert [target for target in targets if target.removeprefix("#") not in names] == []


def test_on_paper_solutions_come_at_the_end_and_nothing_waits_for_a_click(document):
    sections = document.article.find_all("section", recursive=False)
    solutions = document.select("div.solution")

    assert [section["id"] for section in sections[-2:]] == ["solutions", "addresses"]
    assert solutions
    assert all(solution.find_parent("section")["id"] == "solutions" for solution in solutions)
    assert len(document.select(".to-solution a")) == len(solutions)
    assert document.select("button, input, script, .bw-live") == []


def test_every_widget_is_printed_as_its_static_twin(document):
    twins = document.select(".bw-page .bw-twin")

    assert twins
    assert [twin for twin in twins if not twin.get_text(strip=True)] == []


def test_the_pdf_is_small_has_an_outline_and_every_heading(pdf, document):
    reader = PdfReader(pdf)
    text = " ".join(" ".join(page.extract_text().split()) for page in reader.pages)
    outline = [item.title for item in reader.outline if not isinstance(item, list)]
    headings = [" ".join(h1.get_text().split()) for h1 in document.find_all("h1")]

    assert pdf.stat().st_size < MAX_PDF_BYTES
    assert outline == headings
    assert [heading for heading in headings if heading not in text] == []


def test_printed_twice_the_pdf_is_the_same(pdf, book, tmp_path):
    assert b"CreationDate" not in pdf.read_bytes()
    assert printed(book, tmp_path / "again.pdf").read_bytes() == pdf.read_bytes()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_only_targets_of_the_makefile(workflow):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]

    assert commands or workflow.stem != "publish"
    for command in commands:
        assert re.search(rf"^{command.removeprefix('make ')}:", makefile, re.MULTILINE), command


def test_nothing_is_published_that_was_not_checked():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8"))["jobs"]

    assert jobs["deploy"]["needs"] == ["check", "build"]
    assert [step["run"] for step in jobs["check"]["steps"] if "run" in step] == ["make test"]


def test_outside_links_are_checked_weekly():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "links.yml").read_text(encoding="utf-8"))
    minute, hour, *days = workflow[True]["schedule"][0]["cron"].split()  # YAML reads the key `on` as true

    assert minute.isdigit()
    assert hour.isdigit()
    assert days == ["*", "*", "1"]

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

import pack_site
import print_chapter

ROOT = Path(__file__).parent.parent
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


def test_the_zip_holds_the_whole_site_and_no_date(tmp_path, monkeypatch):
    """And not itself, where it lies among the pages, nor what only Sphinx needs; packed again, it is the same."""
    site = small_site(tmp_path / "site")
    (site / ".buildinfo").touch()
    monkeypatch.chdir(tmp_path)
    zips = tmp_path / "book.zip", site / "downloads" / "book.zip"
    for target, modified in zip((*zips, zips[1]), (10**9, 2 * 10**9, 3 * 10**9), strict=True):
        os.utime(site / "index.html", (modified, modified))
        pack_site.pack(Path("site"), target)
    with ZipFile(zips[0]) as archive:
        names = archive.namelist()
        first = archive.read("book/chapters/index.html").decode()

    assert names == [f"book/{name}" for name in files(site) if name != "downloads/book.zip"]
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


def test_the_printed_document_holds_each_page_and_its_links_lead_somewhere(document):
    names = {element["id"] for element in document.find_all(id=True)}
    targets = [link["href"] for link in document.select("a[href]") if not link["href"].startswith("https://")]

    pages = [page.removeprefix("chapters/") for page in print_chapter.chapter_pages()]

    assert [page for page in pages if f"{page}--" not in names] == []
    assert [target for target in targets if not target.startswith("#")] == []
    assert [target for target in targets if target.removeprefix("#") not in names] == []


def test_on_paper_a_link_out_of_the_book_says_its_address(document):
    """As its text, in parentheses after it, or as a number of arXiv or of doi.org."""
    said = {link.get_text(): link["href"] for link in document.select('a[href^="https://"]')}

    assert said
    assert [text for text, address in said.items() if address not in text and not re.match("(arXiv|doi):", text)] == []


def test_on_paper_solutions_come_at_the_end_and_nothing_waits_for_a_click(document):
    *sections, last = document.article.find_all("section", recursive=False)
    solutions = [solution["id"] for solution in document.select("div.solution")]
    exercises = document.select(".bw-twin:has(details)")
    led_to = [exercise.select_one(".to-solution a")["href"] for exercise in exercises]

    assert last["id"] == "solutions"
    assert solutions
    assert [solution["id"] for solution in last.select("div.solution")] == solutions
    assert {f"#{solution}" for solution in solutions} == set(led_to)
    assert [section for section in sections if section.find("summary", string="Known mistakes")] == []
    assert document.select("button, input, script, .bw-live") == []


def test_an_exercise_repeated_in_a_section_has_the_solution_of_the_exercise(document):
    solution_of = {}
    for exercise in document.select(".bw-twin:has(details)"):
        solution_of.setdefault(exercise.p.get_text(), []).append(exercise.select_one(".to-solution a")["href"])
    repeated = [found for found in solution_of.values() if len(found) > 1]

    assert repeated
    assert [found for found in repeated if len(set(found)) > 1] == []


def test_every_widget_is_printed_as_its_static_twin(document):
    twins = document.select(".bw-page .bw-twin")

    assert twins
    assert [twin for twin in twins if not twin.get_text(strip=True)] == []


# What is wider than the paper, and listings with a line that does not fit.
OVERFULL = """() => {
  const paper = document.body.getBoundingClientRect().right;
  const outside = element => element.getBoundingClientRect().right > paper + 1;
  const wrapped = pre => {
    const style = getComputedStyle(pre), lines = pre.textContent.replace(/\\n$/, "").split("\\n").length;
    const height = pre.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    return height > (lines + 0.5) * parseFloat(style.lineHeight);
  };
  return [...document.querySelectorAll("p, li, table, figure, svg, pre, .katex-html .base")].filter(outside)
    .concat([...document.querySelectorAll("pre")].filter(wrapped)).map(e => e.textContent.slice(0, 60));
}"""


def test_nothing_is_wider_than_the_paper_and_no_line_of_code_is_broken(document, new_page, tmp_path):
    (tmp_path / "chapter.html").write_text(print_chapter.PAGE_OF.sub("00", str(document)), encoding="utf-8")
    page = new_page(viewport={"width": 658, "height": 987})  # A4 without its margins
    page.emulate_media(media="print")
    page.goto((tmp_path / "chapter.html").as_uri())

    assert page.locator("pre").count()
    assert page.evaluate(OVERFULL) == []


def test_the_pdf_is_small_has_an_outline_and_every_heading(pdf, document):
    reader = PdfReader(pdf)
    text = " ".join(" ".join(page.extract_text().split()) for page in reader.pages)
    outline = [item.title for item in reader.outline if not isinstance(item, list)]
    headings = [" ".join(h1.get_text().split()) for h1 in document.find_all("h1")]

    assert pdf.stat().st_size < MAX_PDF_BYTES
    assert outline == headings
    assert [heading for heading in headings if heading not in text] == []


def test_contents_and_exercises_name_the_pages_where_things_are_printed(pdf, document):
    reader = PdfReader(pdf)
    page_of = {
        name.removeprefix("/"): reader.get_destination_page_number(place) + 1
        for name, place in reader.named_destinations.items()
    }
    contents = re.findall(r"^(.+) (\d+)$", reader.pages[0].extract_text(), re.MULTILINE)
    printed_links = " ".join(page.extract_text() for page in reader.pages)
    solutions = [page_of[link["href"].removeprefix("#")] for link in document.select(".to-solution a")]

    assert contents == [
        (item.title, str(reader.get_destination_page_number(item) + 1))
        for item in reader.outline
        if not isinstance(item, list)
    ]
    assert [int(page) for page in re.findall(r"Solution, page (\d+)", printed_links)] == solutions


def test_every_page_after_the_first_says_its_section_and_its_number(pdf):
    reader = PdfReader(pdf)
    starts = {
        reader.get_destination_page_number(item): item.title for item in reader.outline if not isinstance(item, list)
    }
    heads = [page.extract_text().split("\n")[:2] for page in reader.pages]
    section = None

    assert reader.trailer["/Root"]["/Lang"] == "en"
    for number, head in enumerate(heads[1:], start=1):
        section = starts.get(number, section)
        assert head == [section, str(number + 1)]


def test_printed_twice_the_pdf_is_the_same(pdf, book, tmp_path):
    assert b"CreationDate" not in pdf.read_bytes()
    assert printed(book, tmp_path / "again.pdf").read_bytes() == pdf.read_bytes()


def test_chance_leaves_no_trace_in_the_pdf(pdf):
    """Dates, and names of a table's cells that count what the browser has made before."""
    once = b"/CreationDate (D:20261130) /ID (node00027927) /Names [(node00027927) 3 0 R (node00027930) 4 0 R]"
    later = once.replace(b"D:20261130", b"D:20261201").replace(b"27927", b"31207").replace(b"27930", b"31999")
    cells = sorted({int(number) for number in re.findall(rb"\(node(\d+)\)", pdf.read_bytes())})

    assert print_chapter.without_chance(once) == print_chapter.without_chance(later)
    assert len(print_chapter.without_chance(once)) == len(once)
    assert cells and cells == list(range(1, len(cells) + 1))


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

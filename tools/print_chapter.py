"""Print the chapter as one PDF: `print_chapter.py BUILT_PAGES PDF`.

The built pages of the chapter are put into one document, in the order of the table of contents: widgets as their static
twins, links between pages as links within the document, links out of the book with their addresses, solutions at the
end. Chromium prints it twice, because only the first print tells on which page a thing stands. The file holds no date
and nothing else that differs from print to print, so that equal pages give an equal file.
"""

import json
import os
import posixpath
import re
import shutil
import sys
import tempfile
from html import escape
from io import BytesIO
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader

ROOT = Path(__file__).parent.parent
STYLES = ("_static/pygments.css", "_static/katex/katex.min.css", "_static/book.css")
PRINT_STYLE = Path(__file__).with_name("print_chapter.css")
# Parts of a page that act on a click, or lead to what paper has not.
SCREEN_ONLY = "script, button, input, .headerlink, .launch, .suggest, .bw-live, .copybtn, nav"
# In the document this stands for the number of the page on which the element with that id is printed.
PAGE_OF = re.compile(r"\{page of ([^}]+)\}")


def chapter_pages() -> list[str]:
    """The pages to be read, without the labs, in the order of the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [toc["root"], *(entry["file"] for part in toc["parts"] for entry in part["chapters"])]
    return [page for page in pages if page.startswith("chapters/")]


class Document:
    """The pages in one: ``add`` each page, then ``html`` is the whole."""

    def __init__(self, html: Path, pages: list[str]):
        self.folder = html
        self.pages = pages
        self.sections: list[Tag] = []
        self.solutions: list[Tag] = []
        self.solution_of: dict[str, str] = {}
        self.styles: dict[str, None] = {}

    def add(self, page: str) -> None:
        soup = _html((self.folder / f"{page}.html").read_text(encoding="utf-8"))
        article = soup.select_one("article.bd-article")
        self.title = soup.title.string.rpartition(" — ")[2]
        self.styles |= dict.fromkeys(style.string for style in soup.head.find_all("style"))
        for element in article.select(SCREEN_ONLY):
            element.decompose()
        for details in article.find_all("details"):
            details["open"] = ""
        for image in article.find_all("img"):
            image["src"] = (self.folder / page).parent.joinpath(image["src"]).resolve().as_uri()
        self._rename(article, page)
        self._relink(article, page)
        for number, solution in enumerate(article.select("div.solution"), start=1):
            name = solution.get("id") or f"{_prefix(page)}solution-{number}"
            solution["id"] = name
            # The known mistakes give an answer away; those still in place belong to this exercise.
            for summary in reversed(solution.find_all_previous("summary", string="Known mistakes")):
                solution.append(summary.parent)
            exercise = solution.find_previous(class_="bw-twin")
            self.solution_of[_question(exercise)] = name
            exercise.append(_to_solution(name))
            self.solutions.append(solution.extract())
        section = article.find("section")
        section.insert(0, _html(f'<span id="{_prefix(page)}"></span>'))
        self.sections.append(section)

    def _rename(self, article: Tag, page: str) -> None:
        """Names are unique in a page only. A drawing's own names stay: they follow from its contents."""
        for element in article.find_all(id=True):
            if not element.find_parent("svg"):
                element["id"] = _prefix(page) + element["id"]

    def _relink(self, article: Tag, page: str) -> None:
        for link in article.find_all("a", href=True):
            path, _, fragment = link["href"].partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)).removesuffix(".html")
            if re.match(r"\w+:", link["href"]):
                if not re.match(r"(https?|doi|arXiv):", link.get_text()):
                    link.append(f" ({link['href']})")
            elif not path or target in self.pages:
                link["href"] = f"#{_prefix(target if path else page)}{fragment}"
            elif link.find_parent(class_="bw-twin"):
                link.decompose()  # a bare "Lab" that says nothing on paper
            else:
                link.unwrap()

    def _answer_at_the_end(self) -> None:
        """A section that repeats an exercise leads to its solution, too; what gives the answer away stands there."""
        for section in self.sections:
            for summary in section.find_all("summary", string="Known mistakes"):
                twin = summary.find_parent(class_="bw-twin")
                summary.parent.decompose()
                if not twin.select_one(".to-solution"):
                    twin.append(_to_solution(self.solution_of[_question(twin)]))

    def html(self) -> str:
        self._answer_at_the_end()
        solutions = _html('<section id="solutions"><h1>Solutions</h1></section>').section
        solutions.extend(self.solutions)
        parts = dict(zip([*map(_prefix, self.pages), "solutions"], [*self.sections, solutions], strict=True))
        contents, running_heads = "", ""
        for name, section in parts.items():
            contents += f'<li><a href="#{name}"><span>{section.h1.decode_contents()}</span> {{page of {name}}}</a></li>'
            section["style"] = f"page: {name}"
            running_heads += f"@page {name} {{ @top-right {{ content: {json.dumps(section.h1.get_text())}; }} }}"
        links = "".join(f'<link rel="stylesheet" href="{(self.folder / s).resolve().as_uri()}">' for s in STYLES)
        style = "".join(self.styles) + PRINT_STYLE.read_text(encoding="utf-8") + running_heads
        book, config = (yaml.safe_load((ROOT / name).read_text("utf-8")) for name in ("CITATION.cff", "_config.yml"))
        title, abstract = escape(self.title), escape(book["abstract"])
        return (
            f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>'
            f"{links}<style>{style}</style></head><body class='bd-content'>"
            f"<article class='bd-article'><header><p class='title'>{title}</p><p>{abstract}</p>"
            "<p>This is the chapter on paper: what moves on the page stands here as a table, "
            "solutions are at the end, and the labs are files to run.</p>"
            f"<ol class='contents'>{contents}</ol><p>Version {book['version']}.</p>{config['html']['extra_footer']}"
            f"</header>{''.join(map(str, parts.values()))}</article></body></html>"
        )


def _question(twin: Tag) -> str:
    """What an exercise asks first, by which it is known again."""
    return twin.p.get_text()


def _to_solution(name: str) -> Tag:
    return _html(f'<p class="to-solution"><a href="#{name}">Solution, page {{page of {name}}}</a></p>')


def _html(text: str) -> BeautifulSoup:
    return BeautifulSoup(text, "html.parser")


def _prefix(page: str) -> str:
    return page.rpartition("/")[2] + "--"


def assemble(html: Path, pages: list[str]) -> str:
    """One document of the built pages in the folder html."""
    document = Document(html, pages)
    for page in pages:
        document.add(page)
    return document.html()


def print_pdf(document: str, target: Path) -> None:
    """Print the text of an HTML document to a file; whatever it refers to is on this machine."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        source = Path(folder) / "chapter.html"
        browser = playwright.chromium.launch(
            executable_path=shutil.which(os.environ.get("CHROMIUM", "chromium")), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(java_script_enabled=False)
        page_of = _pages_by_name(_print(page, source, PAGE_OF.sub("00", document)))
        data = _print(page, source, PAGE_OF.sub(lambda match: str(page_of[match[1]]), document))
        browser.close()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(without_chance(data))


def _print(page: Page, source: Path, document: str) -> bytes:
    source.write_text(document, encoding="utf-8")
    page.goto(source.as_uri())
    return page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)


def without_chance(pdf: bytes) -> bytes:
    """The file without its dates, and with its cells of tables named from 1 on, in their order.

    Chromium names such a cell by a number that counts all it has made so far, which is not always the same. What is put
    in has the length of what was there, so that every offset in the file still holds.
    """
    undated = re.sub(rb"/(?:CreationDate|ModDate) \([^)]*\)", lambda match: b" " * len(match[0]), pdf)
    cell = re.compile(rb"\(node(\d{8})\)")
    number = {name: count for count, name in enumerate(sorted(set(cell.findall(undated))), start=1)}
    return cell.sub(lambda match: b"(node%08d)" % number[match[1]], undated)


def _pages_by_name(pdf: bytes) -> dict[str, int]:
    """{id: number of the page it is on} of everything that a link leads to."""
    reader = PdfReader(BytesIO(pdf))
    places = reader.named_destinations.items()
    return {name.removeprefix("/"): reader.get_destination_page_number(place) + 1 for name, place in places}


if __name__ == "__main__":
    built, pdf = map(Path, sys.argv[1:])
    print_pdf(assemble(built, chapter_pages()), pdf)

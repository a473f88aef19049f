"""Print the chapter as one PDF: `print_chapter.py BUILT_PAGES PDF`.

The built pages of the chapter are put into one document, in the order of the table of contents: widgets as their static
twins, links between pages as links within the document, links out of the book as numbers that lead to a list of
addresses, solutions at the end. Chromium prints it. The file holds no date, so that equal pages give an equal file.
"""

import os
import posixpath
import re
import shutil
import sys
import tempfile
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
STYLES = ("_static/pygments.css", "_static/katex/katex.min.css", "_static/book.css")
PRINT_STYLE = Path(__file__).with_name("print_chapter.css")
# Parts of a page that act on a click, or lead to what paper has not.
SCREEN_ONLY = "script, button, input, .headerlink, .launch, .suggest, .bw-live, .copybtn, nav"
FOOTER = (
    '<div style="width: 100%; padding: 0 18mm; font: 8pt sans-serif; color: #5a6270; text-align: right">'
    '<span class="pageNumber"></span></div>'
)


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
        self.addresses: list[str] = []
        self.styles: dict[str, None] = {}

    def add(self, page: str) -> None:
        soup = BeautifulSoup((self.folder / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
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
            there = BeautifulSoup(f'<p class="to-solution"><a href="#{name}">Solution</a></p>', "html.parser")
            solution.replace_with(there)
            self.solutions.append(solution)
        section = article.find("section")
        section.insert(0, BeautifulSoup(f'<span id="{_prefix(page)}"></span>', "html.parser"))
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
                if link.get_text() != link["href"]:
                    link.insert_after(self._reference(link["href"]))
                link.unwrap()
            elif not path or target in self.pages:
                link["href"] = f"#{_prefix(target if path else page)}{fragment}"
            elif link.find_parent(class_="bw-twin"):
                link.decompose()  # a bare "Lab" that says nothing on paper
            else:
                link.unwrap()

    def _reference(self, address: str) -> Tag:
        if address not in self.addresses:
            self.addresses.append(address)
        number = self.addresses.index(address) + 1
        return BeautifulSoup(f'<sup class="address"><a href="#address-{number}">{number}</a></sup>', "html.parser")

    def html(self) -> str:
        entries = "".join(
            f'<li><a href="#{_prefix(page)}">{section.h1.decode_contents()}</a></li>'
            for page, section in zip(self.pages, self.sections, strict=True)
        )
        links = "".join(f'<link rel="stylesheet" href="{(self.folder / s).resolve().as_uri()}">' for s in STYLES)
        style = PRINT_STYLE.read_text(encoding="utf-8")
        addresses = "".join(
            f'<li id="address-{n}">{BeautifulSoup("", "html.parser").new_string(a).output_ready()}</li>'
            for n, a in enumerate(self.addresses, start=1)
        )
        return (
            f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{self.title}</title>'
            f"{links}<style>{''.join(self.styles)}</style><style>{style}</style></head><body class='bd-content'>"
            f"<article class='bd-article'><header><p class='title'>{self.title}</p>"
            "<p>The chapter on paper: what moves on the page stands here as a table, "
            "solutions and addresses are at the end, and the labs are files to run.</p>"
            f"<ol class='contents'>{entries}<li><a href='#solutions'>Solutions</a></li>"
            "<li><a href='#addresses'>Addresses</a></li></ol></header>"
            f"{''.join(map(str, self.sections))}"
            f"<section id='solutions'><h1>Solutions</h1>{''.join(map(str, self.solutions))}</section>"
            f"<section id='addresses'><h1>Addresses</h1><ol>{addresses}</ol></section></article></body></html>"
        )


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
        source.write_text(document, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which(os.environ.get("CHROMIUM", "chromium")), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(java_script_enabled=False)
        page.goto(source.as_uri())
        data = page.pdf(
            format="A4",
            prefer_css_page_size=True,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            tagged=True,
            outline=True,
        )
        browser.close()
    # Blanks of the same length, so that every offset in the file still holds.
    undated = re.sub(rb"/(?:CreationDate|ModDate) \([^)]*\)", lambda match: b" " * len(match[0]), data)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(undated)


if __name__ == "__main__":
    built, pdf = map(Path, sys.argv[1:])
    print_pdf(assemble(built, chapter_pages()), pdf)

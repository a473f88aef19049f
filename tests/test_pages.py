"""The built pages, as a reader's browser shows them: from a server, from disk, in every width and both themes."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from conftest import ROOT, new_context, watch
from palette import DATA_COLOURS

WIDTHS = (1280, 768, 360)
THEMES = ("light", "dark")
TEXT_BUDGET, WIDGET_BUDGET = 300_000, 360_000  # bytes on a cold load, compressed
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
# All rules in the light theme; the dark one differs in colours only.
AXE_RUN = """async theme => {
  const only = theme === "dark" ? {runOnly: ["color-contrast"]} : {};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...only});
  return violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""

# Drawn text that is hard to read: axe looks at none. The sign in a filled dot is a mark on that dot.
PALE = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const behind = element => {
    const colour = rgba(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour : behind(element.parentElement);
  };
  return [...document.querySelectorAll(".book-figure text, .bw-curve-name")].flatMap(text => {
    const pair = [rgba(getComputedStyle(text).fill), behind(text)].map(luminance);
    const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    return contrast < 4.5 && text.textContent.trim() !== "+" ? [`${text.textContent}: ${contrast.toFixed(2)}`] : [];
  });
}"""


def toc_files() -> list[str]:
    """The files that the table of contents names, in its order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]


PAGES = [f"{name}.html" for name in toc_files()]
every_page = pytest.mark.parametrize("page", [*PAGES, "search.html"])
every_text = pytest.mark.parametrize("page", PAGES)


@cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@dataclass
class Visit:
    """What one cold visit of a page showed."""

    faults: list[str] = field(default_factory=list)
    transferred: int = 0
    overflow: dict[str, int] = field(default_factory=dict)
    search_fields: dict[str, int] = field(default_factory=dict)
    axe: dict[str, list[str]] = field(default_factory=dict)
    pale: dict[str, list[str]] = field(default_factory=dict)


@pytest.fixture(scope="session")
def visit(browser, site):
    """``visit(page)`` opens a page once, in every width and theme, and remembers what it saw."""

    @cache
    def look(path: str) -> Visit:
        seen = Visit()
        context = new_context(browser, color_scheme=THEMES[0])
        page = context.new_page()
        seen.faults = watch(page)
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        sizes = []
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        page.goto(f"{site}/{path}", wait_until="networkidle")
        seen.transferred = sum(sizes)
        page.add_script_tag(path=AXE)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(450)  # the theme waits 300 ms after a resize before it marks what scrolls
                where = f"{width} px, {theme}"
                seen.overflow[where] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                seen.search_fields[where] = page.locator(
                    "input[type=search]:visible, .search-button__button:visible"
                ).count()
                seen.axe[where] = page.evaluate(AXE_RUN, theme)
            seen.pale[theme] = page.evaluate(PALE)
        context.close()
        return seen

    return look


@every_text
def test_every_page_of_the_contents_is_built(book, page):
    """A file named in ``_toc.yml`` has a page, in English, with a title, a description and one main heading."""
    html = soup(book / page)

    assert html.html["lang"] == "en"
    assert html.title.text.strip()
    assert len(html.find("meta", attrs={"name": "description"})["content"]) > 40
    assert len(html.select("article h1")) == 1


@every_page
def test_page_is_silent_and_asks_nobody(visit, page):
    """No warning or error in the console, no missing file, no request to another origin."""
    assert visit(page).faults == []


@every_page
def test_page_fits_its_width(visit, page):
    """Nothing is wider than the window."""
    assert {where: px for where, px in visit(page).overflow.items() if px > 0} == {}


@every_page
def test_axe_finds_nothing(visit, page):
    """axe-core has no objection to the page, the theme's part included."""
    assert {where: found for where, found in visit(page).axe.items() if found} == {}


@every_page
def test_drawn_text_is_seen(visit, page):
    """Words in figures, in a data colour or not, reach 4.5:1 against what is behind them."""
    assert {theme: found for theme, found in visit(page).pale.items() if found} == {}


@every_page
def test_there_is_one_search_field(visit, page):
    """One way to search is shown, not two."""
    assert set(visit(page).search_fields.values()) == {1}


@every_text
def test_page_is_light(visit, book, page):
    """A cold load stays within its budget: 300 kB for text, 360 kB with widgets."""
    budget = WIDGET_BUDGET if soup(book / page).select(".bw-page") else TEXT_BUDGET

    assert visit(page).transferred <= budget


@every_page
def test_page_works_from_disk(new_page, book, page):
    """Opened as a file, a page asks only for files and says nothing in the console."""
    tab = new_page()
    faults = watch(tab)
    tab.goto((book / page).as_uri(), wait_until="load")
    tab.wait_for_timeout(200)

    assert faults == []


@pytest.mark.parametrize("start", ["site", "disk"])
def test_search_finds_a_page(new_page, book, site, start):
    """The search answers, also where the browser may not fetch other pages."""
    tab = new_page()
    faults = watch(tab)
    address = site if start == "site" else book.as_uri()
    tab.goto(f"{address}/search.html?q=parameters")
    tab.locator("#search-results li a").first.wait_for(timeout=10_000)
    tab.wait_for_timeout(300)

    assert faults == []


@every_text
def test_text_is_complete_without_javascript(new_page, book, page):
    """With JavaScript off, all text, formulas, tables, solutions and the widgets' static twins are visible."""
    tab = new_page(java_script_enabled=False)
    tab.goto((book / page).as_uri())
    html = soup(book / page)

    assert tab.locator("article h1").is_visible()
    for part in (".katex-html", "table", "figure", ".solution > section", ".bw-twin"):
        # A closed <details> opens without JavaScript.
        hidden = tab.locator(f"article {part}").evaluate_all(
            "parts => parts.filter(p => !p.checkVisibility() && !p.closest('details:not([open])')).length"
        )
        assert (part, hidden) == (part, 0)
    assert not re.search(r"\$\$|\\frac|\\sqrt|\{glue:", visible_text(html))
    assert not html.select(".katex-error")


def visible_text(html: BeautifulSoup) -> str:
    """The text of the article, without programs, and without the TeX that KaTeX keeps for copying."""
    article = BeautifulSoup(str(html.article), "html.parser")
    for hidden in article.select("script, style, annotation, pre, code"):
        hidden.decompose()
    return article.get_text(" ")


@every_page
def test_links_and_anchors_resolve(book, page):
    """A link within the book leads to a file, and its anchor to an element of that file."""
    here = book / page
    broken = []
    for element in soup(here).select("[href], [src]"):
        target = element.get("href") or element.get("src") or ""
        parts = urlsplit(target)
        if parts.scheme in ("http", "https", "mailto", "data"):
            continue
        file = (here.parent / unquote(parts.path)).resolve() if parts.path else here
        if not file.is_file():
            broken.append(f"no file: {target}")
        elif parts.fragment and file.suffix == ".html" and not soup(file).find(id=unquote(parts.fragment)):
            broken.append(f"no anchor: {target}")

    assert broken == []


@every_page
def test_page_loads_nothing_foreign(book, page):
    """Scripts, styles and pictures are the book's own, and the heavy ones of the defaults are not among them."""
    html = soup(book / page)
    loaded = [tag.get("src") or tag.get("href") for tag in html.select("script[src], img[src], link[rel=stylesheet]")]

    assert [address for address in loaded if urlsplit(address).netloc] == []
    assert not re.search(r"fontawesome\.js|thebe|mathjax|require(?:\.min)?\.js|html-manager", " ".join(loaded), re.I)


@every_text
def test_figures_have_alternative_texts(book, page):
    """A figure says in at least ten words what is seen; no picture has a path or a hash for a text."""
    article = soup(book / page).article
    drawings = "figure img, figure svg, .cell_output img, svg[role=img]"
    figures = [tag for tag in article.select(drawings) if not tag.find_parent(class_="katex")]
    pictures = [(tag, tag.get("alt", tag.get("aria-label", ""))) for tag in [*figures, *article.select("img")]]

    assert [text for _, text in pictures if re.fullmatch(r"\S*(?:/|\.png|\.svg)\S*|[0-9a-f]{16,}", text)] == []
    in_figures = [tag.get("alt", tag.get("aria-label", "")) for tag in figures if not tag.find_parent(class_="bw-page")]
    assert [text for text in in_figures if len(text.split()) < 10] == []


def test_style_sheet_has_the_colours_of_the_figures():
    """``--book-data-N`` is the N-th colour of ``palette.py``."""
    css = (ROOT / "_static" / "book.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--book-data-(\d): (#[0-9a-f]{6});", css))
    words = re.findall(
        r'text\[style\*="fill: (#[0-9a-f]{6})"\] \{ fill: color-mix\(in srgb, var\(--book-data-(\d)\)', css
    )

    assert colours == {str(n): colour for n, colour in enumerate(DATA_COLOURS, start=1)}
    assert {n: colour for colour, n in words} == colours


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", DATA_COLOURS)
def test_data_colours_are_seen_on_white_and_on_black(colour):
    """Each reaches 3:1 against the lightest and the darkest page."""
    light = 1.05 / (luminance(colour) + 0.05)
    dark = (luminance(colour) + 0.05) / (luminance("#121212") + 0.05)

    assert min(light, dark) >= 3

"""What a reader of the published book needs on a page: a way into the lab, the lab as a file, and who to tell.

- A lab's page links to Binder and Colab if the repository's address is known (``address.py``), and says how to run it
  at home in any case. A chapter's page links to its lab.
- Each lab is a download, as a notebook and as a Python script.
- If the repository's address is known, each page links to its source and to the form for a mistake.
- If the site's address is known, each page has a canonical address and a card, and the site has a map.
- A page that does not exist is answered by ``404.html``.
- With BOOK_DOWNLOADS=1 (set by ``make site``, which makes the files) the first page links to the PDF, to the zip of the
  pages and to the zip of the book's folder, in which the labs run.
"""

import json
import os
import re
import shutil
from html import escape
from pathlib import Path

import jupytext
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

import address
from card import draw_card

__version__ = "1.0.0"

DOWNLOADS = "downloads"
FILE_NAME = "from-configuration-to-parameters"
MADE_LABS = ("notebooks/exercises.ipynb", "notebooks/exercises-solved.ipynb")  # tools/make_exercise_labs.py makes them
PDF, PAGES, SOURCE = ".pdf", ".zip", "-source.zip"


def read_addresses(app: Sphinx, config) -> None:
    try:
        app.book_repository = address.repository(Path(app.srcdir))
        app.book_site = address.site()
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if app.book_site:
        config.html_baseurl = app.book_site


def add_links(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the way to the lab under the page's title, and at its end whom to tell."""
    if pagename not in app.env.found_docs:
        return
    folder, _, stem = pagename.rpartition("/")
    if folder == "notebooks":
        way = lab_links(app.book_repository, Path(app.srcdir), f"{pagename}.ipynb", context["pathto"])
    elif f"notebooks/{stem}" in app.env.found_docs:
        lab = f"notebooks/{stem}"
        title = escape(app.env.titles[lab].astext())
        way = f'Run it yourself: <a href="{context["pathto"](lab)}">{title}</a>.'
    elif pagename == app.config.root_doc and downloads_are_made():
        way = keep_links(context["pathto"])
    else:
        way = ""
    if way:
        context["body"] = context["body"].replace("</h1>", f'</h1>\n<p class="launch">{way}</p>', 1)
    if app.book_repository:
        source = edited_file(Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix())
        context["body"] += (
            f'<p class="suggest"><a href="{escape(app.book_repository.edit(source))}">Suggest an edit</a> '
            f'<a href="{escape(app.book_repository.report(pagename))}">Report a mistake</a></p>\n'
        )


def edited_file(path: str) -> str:
    """Where a change of the page made from path belongs, by its path in the repository."""
    return "notebooks/exercise_labs.md" if path in MADE_LABS else path


def lab_links(repository: address.Repository | None, root: Path, lab: str, pathto) -> str:
    """Where a lab, given by its path from the root of the repository, runs and where its files are."""
    if repository:
        services = [f'<a href="{escape(repository.binder(lab))}">Run on Binder</a>']
        # Colab opens only the notebook, which must then know where to get the rest.
        if f'"{repository.url}"' in first_code(root / lab):
            services.append(f'<a href="{escape(repository.colab(lab))}">Open in Colab</a>')
        home = f"git clone {repository.url} && cd {repository.name} && make lab"
        # Each open lab holds up to a gigabyte, and Binder gives two.
        room = "On Binder, shut one lab's kernel down before you start the next: memory is limited."
        run = f"{' '.join(services)} {room} At home: <code>{escape(home)}</code>."
    else:
        folder = "the folder of the book"
        if downloads_are_made():
            folder = f'<a href="{download(pathto, SOURCE)}" download>{folder}</a>'
        run = f"To run this lab, type <code>make lab</code> in {folder}."
    notebook, script = (pathto(path, resource=True) for path in lab_files(Path(lab).stem))
    files = f'<a href="{notebook}" download>notebook</a>, <a href="{script}" download>Python script</a>'
    return f"{run} Download, to run beside the book's code: {files}."


def lab_files(stem: str) -> tuple[str, str]:
    """The two downloads of a lab; a script of the lab's own name would hide a module of that name from itself."""
    return f"{DOWNLOADS}/lab-{stem}.ipynb", f"{DOWNLOADS}/lab-{stem}.py"


def downloads_are_made() -> bool:
    """Whether the files are made to which a published page links; ``make site`` makes them."""
    return os.environ.get("BOOK_DOWNLOADS") == "1"


def download(pathto, suffix: str) -> str:
    return pathto(f"{DOWNLOADS}/{FILE_NAME}{suffix}", resource=True)


def keep_links(pathto) -> str:
    return (
        f'Keep it: <a href="{download(pathto, PDF)}" download>the chapter as a PDF</a>'
        f'<span class="only-online">, <a href="{download(pathto, PAGES)}" download>these pages as a zip</a></span>, '
        f'<a href="{download(pathto, SOURCE)}" download>the book\'s folder as a zip</a>, to run the labs.'
    )


def first_code(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return next(("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"), "")


def add_card(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Say what is shown where someone shares the page: title, description and card."""
    if not app.book_site or pagename not in app.env.found_docs:
        return
    description = re.search(r'<meta name="description" content="([^"]*)"', context.get("metatags", ""))
    properties = {
        "og:type": "article",
        "og:site_name": escape(app.config.html_title),
        "og:title": escape(app.env.titles[pagename].astext()),
        "og:url": f"{app.book_site}{pagename}.html",
        "og:image": f"{app.book_site}{card_path(pagename)}",
        "og:image:alt": "The title of the page beside the mark of the book",
        **({"og:description": description[1]} if description else {}),
    }
    tags = [f'<meta property="{name}" content="{value}" />' for name, value in properties.items()]
    tags.append('<meta name="twitter:card" content="summary_large_image" />')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags) + "\n"


def card_path(pagename: str) -> str:
    return f"_static/cards/{pagename.replace('/', '-')}.png"


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Write what is no page: the labs' files, the answer to a wrong address, and with an address map and cards."""
    if exception or app.builder.format != "html":
        return
    pages = sorted(app.env.found_docs)
    out = Path(app.outdir)
    for page in pages:
        if page.startswith("notebooks/"):
            write_lab(Path(app.srcdir) / f"{page}.ipynb", out)
    write_404(app, pages)
    if app.book_site:
        entries = "".join(f"<url><loc>{app.book_site}{page}.html</loc></url>\n" for page in pages)
        (out / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
            encoding="utf-8",
        )
        for page in pages:
            draw_card(app.env.titles[page].astext(), app.config.html_title, out / card_path(page))


def write_lab(source: Path, out: Path) -> None:
    notebook, script = (out / path for path in lab_files(source.stem))
    notebook.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, notebook)
    jupytext.write(jupytext.read(source), script, fmt="py:percent")


def write_404(app: Sphinx, pages: list[str]) -> None:
    """A page that stands alone: a server shows it at any depth, so that only whole addresses lead out of it."""
    base = app.book_site or ""
    links = {app.env.titles[page].astext(): f"{base}{page}.html" for page in toc_order(app, pages)}
    context = {"language": app.config.language, "title": app.config.html_title, "links": links, "base": base}
    text = app.builder.templates.render("404.html", context)
    (Path(app.outdir) / "404.html").write_text(text, encoding="utf-8")


def toc_order(app: Sphinx, pages: list[str]) -> list[str]:
    root = app.config.root_doc
    return [root, *(page for page in app.env.toctree_includes.get(root, []) if page in pages)]


def setup(app: Sphinx) -> dict:
    app.add_css_file("publish.css")
    app.connect("config-inited", read_addresses)
    app.connect("html-page-context", add_links)
    app.connect("html-page-context", add_card, priority=950)
    app.connect("build-finished", write_files)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

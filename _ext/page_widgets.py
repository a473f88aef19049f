"""Interactive widgets in a page without a kernel: the ``{anywidget}`` directive and the host that runs its modules.

A module follows anywidget's front-end contract, ``export default { render({ model, el }) { … } }``. Name and form of
the directive are those of MyST (mystmd), so that a page moves over unchanged::

    :::{anywidget} ../src/widgets/heads.mjs
    {"config": "gpt2-medium"}
    :::

The body is JSON: what the model holds at the start. For a module of ``src/widgets`` the rest of the state and a static
twin come from Python (``widgets.registry``). A string ``path/lab.ipynb::key`` stands for a value that the lab glued as
JSON text. ``:class:`` adds class names, ``:css:`` names a style sheet for a module from elsewhere.

Modules and data are put into the page, and the host is a classic script, because a page opened from disk may neither
fetch a file nor load a module from one.
"""

import ast
import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from widgets import page, registry  # noqa: E402 (found through the line above, also where it is not installed)

__version__ = "1.0.0"

HOST = HERE / "page_widgets.js"
_MODULE = re.compile(r'data-module="([^"]+)"')
_CSS = re.compile(r'data-css="([^"]+)"')
_GLUED = re.compile(r"(?P<path>[^:]+\.ipynb)::(?P<key>.+)")


class AnyWidgetDirective(SphinxDirective):
    """``{anywidget} PATH``: the ES module at PATH (relative to the page), with its state as JSON in the body."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"class": directives.class_option, "css": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        module = self._file(self.arguments[0], "module")
        css = self._file(self.options["css"], "style sheet") if "css" in self.options else None
        values = {key: self._resolved(value) for key, value in self._body().items()}
        classes = tuple(self.options.get("class", ()))
        try:
            if Path(self.env.srcdir, module).resolve().parent == page.FOLDER:
                html = registry.html(Path(module).stem, values, classes)
            else:
                html = page.page_html(module, values, css=css, classes=classes)
        except ValueError as error:
            raise self.error(f"anywidget: {error}") from None
        node = nodes.raw("", html, format="html")
        self.set_source_info(node)
        return [node]

    def _file(self, given: str, what: str) -> str:
        """The path from the root of the book of a file given relative to the page; it must exist."""
        relative, absolute = self.env.relfn2path(given)
        path = Path(absolute)
        if not path.is_file():
            known = ", ".join(sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))) or "nothing like it"
            raise self.error(f"anywidget: there is no {what} {given!r}; in {path.parent.name}/ there is {known}")
        return Path(relative).as_posix()

    def _body(self) -> dict:
        text = "\n".join(self.content).strip() or "{}"
        try:
            body = json.loads(text)
        except json.JSONDecodeError as error:
            raise self.error(f"anywidget: line {error.lineno} of the body is not JSON: {error.msg}") from None
        if not isinstance(body, dict):
            raise self.error(f"anywidget: the body must be a JSON object, not {text[:40]!r}")
        return body

    def _resolved(self, value):
        glued = _GLUED.fullmatch(value) if isinstance(value, str) else None
        if not glued:
            return value
        notebook = Path(self.env.srcdir, self._file(glued["path"], "lab"))
        self.env.note_dependency(str(notebook))
        values = _glued_values(notebook)
        if glued["key"] not in values:
            known = ", ".join(sorted(values)) or "nothing"
            raise self.error(f"anywidget: {notebook.name} glues no {glued['key']!r}; it glues {known}")
        try:
            return json.loads(ast.literal_eval(values[glued["key"]]))
        except (SyntaxError, ValueError, TypeError):
            raise self.error(f"anywidget: {glued['key']!r} in {notebook.name} is not glued as JSON text") from None


def _glued_values(notebook: Path) -> dict[str, str]:
    """{key: repr of the value} of everything that the saved notebook glued."""
    values = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            key = output.get("metadata", {}).get("scrapbook", {}).get("name")
            data = output.get("data", {})
            text = data.get("application/papermill.record/text/plain", data.get("text/plain"))
            if key and text is not None:
                values[key] = "".join(text)
    return values


def note_dependencies(app: Sphinx, doctree: nodes.document) -> None:
    """A page, or a lab's saved output, is made again when a module it shows or the code behind its data changed."""
    html = "".join(node.astext() for node in doctree.findall(nodes.raw))
    modules = _MODULE.findall(html)
    if not modules:
        return
    code = [module.__file__ for module in sys.modules.values() if _is_behind_the_data(module)]
    folders = {Path(app.srcdir, unescape(module)).parent for module in modules}
    files = [str(path) for folder in folders for path in (*folder.glob("*.mjs"), *folder.glob("*.css"))]
    for path in (*files, *code, str(HOST), __file__):
        app.env.note_dependency(path)


def _is_behind_the_data(module) -> bool:
    path = getattr(module, "__file__", None)
    return bool(path) and page.FOLDER.parent in Path(path).resolve().parents


def add_modules(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the host and each module and style sheet that the page needs into it, once."""
    body = context.get("body", "")
    modules = _in_order(_MODULE, body)
    if not modules:
        return
    root = Path(app.srcdir)
    sheets = "\n".join((root / sheet).read_text(encoding="utf-8") for sheet in _in_order(_CSS, body))
    sources = {module: page.module_source(root / module) for module in modules}
    # Said before anything is drawn, so that a twin does not flash up and make the page jump.
    script = '<script>document.documentElement.classList.add("bw-js")</script>'
    context["metatags"] = f"{context.get('metatags', '')}\n<style>\n{sheets}</style>\n{script}\n"
    context["body"] = (
        f'{body}\n<script type="application/json" id="bw-modules">{page.json_in_html(sources)}</script>\n'
        f"<script>\n{HOST.read_text(encoding='utf-8')}</script>\n"
    )


def _in_order(pattern: re.Pattern, html: str) -> list[str]:
    return list(dict.fromkeys(unescape(value) for value in pattern.findall(html)))


def setup(app: Sphinx) -> dict:
    app.add_directive("anywidget", AnyWidgetDirective)
    app.connect("doctree-read", note_dependencies)
    app.connect("html-page-context", add_modules)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

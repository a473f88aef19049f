"""The form a widget has in a page: its state as JSON and a static twin, beside which the host script draws it.

The same HTML is what a lab saves beside the live widget, so a built page needs no kernel and no widget manager.
The modules themselves are not part of it: the extension ``page_widgets`` adds each of them once to a page.
"""

import json
import re
from html import escape, unescape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>[\w.-]+)";\n', re.MULTILINE)


def module_source(path: Path) -> str:
    """The text of an ES module, made self-contained: what it imports from its own folder is put in place.

    A live lab and a page both take a module as one text, without an address that an import could be relative to.
    """

    def included(match: re.Match) -> str:
        return re.sub(r"^export (?!default)", "", module_source(path.parent / match["name"]), flags=re.MULTILINE)

    return _IMPORT.sub(included, path.read_text(encoding="utf-8"))


def json_in_html(value) -> str:
    """JSON that may stand inside a ``<script>`` element: no ``<`` can end it early."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def page_html(module: str, state: dict, twin: str = "", css: str | None = None, classes: tuple[str, ...] = ()) -> str:
    """The place of one widget in a page.

    Args:
        module: the ES module, as a path from the root of the book.
        state: what the model holds at the start; ``page: true`` is added, by which a module knows where it runs.
        twin: HTML with the same facts, for readers without JavaScript and for paper.
        css: its style sheet, as a path from the root of the book.
        classes: further class names.
    """
    names = " ".join(("bw-page", *classes))
    sheet = f' data-css="{escape(css)}"' if css else ""
    return (
        f'<div class="{escape(names)}" data-module="{escape(module)}"{sheet}>\n'
        f'<script type="application/json">{json_in_html({**state, "page": True})}</script>\n'
        f'<div class="bw-live"></div>\n<div class="bw-twin">\n{twin}\n</div>\n</div>'
    )


def table_html(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """A table of finished cells (HTML); a column whose cells are all numbers is set to the right."""
    numeric = [all(re.fullmatch(r"(?:&lt; )?[\d,.\s%×·/–-]+", row[i]) for row in rows) for i in range(len(head))]

    def cell(tag: str, i: int, content: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        align = ' class="bw-n"' if numeric[i] else ""
        return f"<{tag}{scope}{align}>{content}</{tag}>"

    def row(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(cell(tag, i, content) for i, content in enumerate(cells)) + "</tr>"

    body = "\n".join(row("td", cells) for cells in rows)
    label = escape(unescape(re.sub("<[^>]+>", "", caption)))
    return (
        f'<div class="bw-scroll" role="region" aria-label="{label}" tabindex="0">\n'
        f"<table>\n<caption>{caption}</caption>\n<thead>{row('th', head)}</thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
        "</div>"
    )

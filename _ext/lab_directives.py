"""What a lab has measured, shown in a chapter: taken from the saved notebook, so that it lives once.

A figure: the cell that draws it carries its name and caption as metadata ::

    {"mystnb": {"figure": {"name": "lab-fig-shares", "caption": "**The finding.** How to read it."}}}

and in a chapter this shows it under the label ``fig-shares``, with a link to the lab::

    :::{labfigure} counting fig-shares
    :::

A table or a text: the cell that shows it carries its name as a tag, which starts with ``out-``. In a chapter::

    :::{laboutput} config out-shapes
    :::
"""

import json
import os
import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

__version__ = "1.0"
_GLUE = re.compile(r"(\{glue:\w+\}`)([^`]+`)")


class LabDirective(SphinxDirective):
    """``{...} LAB NAME``: something of notebooks/LAB.ipynb; the page is built again when the lab changes."""

    required_arguments = 2

    def lab_path(self) -> Path:
        lab = self.arguments[0]
        path = Path(self.env.srcdir, "notebooks", f"{lab}.ipynb")
        if not path.exists():
            raise self.error(f"there is no lab {lab!r}: {path.name} is not in notebooks/")
        self.env.note_dependency(str(path))
        return path

    def parse(self, lines: list[str], path: Path) -> list[nodes.Node]:
        parsed = nodes.Element()
        self.state.nested_parse(StringList(lines, path.name), 0, parsed)
        return parsed.children


class LabFigure(LabDirective):
    """``{labfigure} LAB NAME``: a figure with its caption."""

    def run(self) -> list[nodes.Node]:
        lab, name = self.arguments
        path = self.lab_path()
        figures = _figures_of(path)
        if f"lab-{name}" not in figures:
            known = ", ".join(sorted(key.removeprefix("lab-") for key in figures)) or "none"
            raise self.error(f"lab {lab!r} has no figure {name!r}; it has: {known}")
        caption, svg = figures[f"lab-{name}"]

        figure = nodes.figure("", nodes.raw("", svg, format="html"))
        figure["names"].append(nodes.fully_normalize_name(name))
        self.state.document.note_explicit_target(figure, figure)
        self.set_source_info(figure)

        # Numbers in the caption are glued from the lab, so they need its address when they are read from here.
        folder = os.path.relpath(path.parent, Path(self.env.doc2path(self.env.docname)).parent)
        caption = _GLUE.sub(rf"\g<1>{folder}/{path.name}::\g<2>", caption)
        source = f"Measured in {{doc}}`the lab </notebooks/{lab}>`."
        paragraph, *rest = self.parse([caption, "", source], path)
        figure += nodes.caption("", "", *paragraph.children)
        figure += nodes.legend("", *rest)
        return [figure]


class LabOutput(LabDirective):
    """``{laboutput} LAB NAME``: the Markdown or the printed text of a cell."""

    def run(self) -> list[nodes.Node]:
        lab, name = self.arguments
        path = self.lab_path()
        outputs = _tagged_outputs(path)
        if name not in outputs:
            raise self.error(f"lab {lab!r} has no output {name!r}; it has: {', '.join(sorted(outputs)) or 'none'}")
        kind, text = outputs[name]
        if kind == "text/plain":
            return [nodes.literal_block(text, text, language="text")]
        return self.parse(text.splitlines(), path)


def _figures_of(path: Path) -> dict[str, tuple[str, str]]:
    """{name: (caption, inline SVG)} of the cells that carry a figure's metadata."""
    figures = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        options = cell["metadata"].get("mystnb", {}).get("figure", {})
        drawings = [
            output["data"]["text/html"] for output in cell.get("outputs", []) if "text/html" in output.get("data", {})
        ]
        if options and drawings:
            figures[options["name"]] = (options["caption"], "".join(drawings[0]))
    return figures


def _tagged_outputs(path: Path) -> dict[str, tuple[str, str]]:
    """{tag: (mime type, text)} of the cells with a tag ``out-...``: the last output; Markdown wins over plain text."""
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        names = [tag for tag in cell["metadata"].get("tags", []) if tag.startswith("out-")]
        for output in cell.get("outputs", []) if names else []:
            data = output.get("data", {"text/plain": output.get("text", "")})
            kind = next((kind for kind in ("text/markdown", "text/plain") if kind in data), None)
            if kind and (kind == "text/markdown" or found.get(names[0], (kind,))[0] == kind):
                found[names[0]] = (kind, "".join(data[kind]).rstrip("\n"))
    return found


def setup(app):
    app.add_directive("labfigure", LabFigure)
    app.add_directive("laboutput", LabOutput)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

"""A figure of a lab, shown in a chapter: drawing and caption are taken from the saved notebook.

In the notebook, the cell that shows the figure carries its name and caption as metadata::

    {"mystnb": {"figure": {"name": "lab-fig-shares", "caption": "**The finding.** How to read it."}}}

In a chapter, this shows it under the label ``fig-shares``, with a link to the lab::

    :::{labfigure} counting fig-shares
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


class LabFigure(SphinxDirective):
    """``{labfigure} LAB NAME``: the figure NAME of notebooks/LAB.ipynb."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        lab, name = self.arguments
        path = Path(self.env.srcdir, "notebooks", f"{lab}.ipynb")
        if not path.exists():
            raise self.error(f"there is no lab {lab!r}: {path.name} is not in notebooks/")
        self.env.note_dependency(str(path))
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
        source = f"Measured in the lab {{doc}}`/notebooks/{lab}`."
        parsed = nodes.Element()
        self.state.nested_parse(StringList([caption, "", source], path.name), 0, parsed)
        figure += nodes.caption("", "", *parsed[0].children)
        figure += nodes.legend("", *parsed[1:])
        return [figure]


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


def setup(app):
    app.add_directive("labfigure", LabFigure)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

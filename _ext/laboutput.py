"""A lab's table or text, shown in a chapter: taken from the saved notebook, so that it lives once.

In the notebook, the cell that shows it carries its name as a tag, which starts with ``out-``. In a chapter::

    :::{laboutput} config out-shapes
    :::
"""

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

__version__ = "1.0"


class LabOutput(SphinxDirective):
    """``{laboutput} LAB NAME``: the Markdown or the printed text of the cell tagged NAME in notebooks/LAB.ipynb."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        lab, name = self.arguments
        path = Path(self.env.srcdir, "notebooks", f"{lab}.ipynb")
        if not path.exists():
            raise self.error(f"there is no lab {lab!r}: {path.name} is not in notebooks/")
        self.env.note_dependency(str(path))
        outputs = _tagged_outputs(path)
        if name not in outputs:
            raise self.error(f"lab {lab!r} has no output {name!r}; it has: {', '.join(sorted(outputs)) or 'none'}")
        kind, text = outputs[name]
        if kind == "text/plain":
            return [nodes.literal_block(text, text, language="text")]
        parsed = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), path.name), 0, parsed)
        return parsed.children


def _tagged_outputs(path: Path) -> dict[str, tuple[str, str]]:
    """{tag: (mime type, text)} of the cells with a tag ``out-...``; Markdown wins over plain text."""
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        names = [tag for tag in cell["metadata"].get("tags", []) if tag.startswith("out-")]
        for output in cell.get("outputs", []) if names else []:
            data = output.get("data", {"text/plain": output.get("text", "")})
            kind = next((kind for kind in ("text/markdown", "text/plain") if kind in data), None)
            if kind:
                found[names[0]] = (kind, "".join(data[kind]).rstrip("\n"))
    return found


def setup(app):
    app.add_directive("laboutput", LabOutput)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

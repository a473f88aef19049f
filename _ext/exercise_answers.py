"""The right answer of an exercise, computed while the book is built::

    The small test has {answer}`no_bias` parameters without biases.

shows the answer to the question ``no_bias`` for the numbers of the text, and ``{wrong-line}`3``` what is wrong in the
third piece of code.
"""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from exercises import right_answer, wrong_line

__version__ = "1.0"


class AnswerRole(SphinxRole):
    """``{answer}`ID```: the right answer to the question ID; ``{wrong-line}`N```: the wrong line of piece N."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            return [
                nodes.Text(wrong_line(int(self.text)) if self.name == "wrong-line" else right_answer(self.text))
            ], []
        except ValueError as error:
            message = self.inliner.reporter.error(f"answer: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]


def number_contents(app, doctree: nodes.document) -> None:
    """sphinx-exercise gives every exercise's content one id, and every solution's; an id must be alone in its page."""
    for number, section in enumerate(doctree.findall(nodes.section)):
        for i, name in enumerate(section["ids"]):
            if name in ("exercise-content", "solution-content"):
                section["ids"][i] = f"{name}-{number}"


def setup(app):
    app.add_role("answer", AnswerRole())
    app.add_role("wrong-line", AnswerRole())
    app.connect("doctree-read", number_contents)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}

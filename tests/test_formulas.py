"""Short formulas stay on one line with the mark after them, and no word of the sentence moves."""

import pytest
from docutils import nodes
from docutils.utils import new_document

from book import KeepOnOneLine


def paragraph(*parts: nodes.Node) -> nodes.paragraph:
    document = new_document("page")
    result = nodes.paragraph("", "", *parts)
    document += result
    KeepOnOneLine(document).run()
    return result


@pytest.mark.parametrize(
    "parts",
    [
        [nodes.Text("by "), nodes.math("", "VC"), nodes.Text(".")],
        [nodes.literal("", "wte"), nodes.Text("."), nodes.literal("", "x"), nodes.math("", "VC"), nodes.Text(".")],
        [
            nodes.Text(", "),
            nodes.math("", "a"),
            nodes.Text(", "),
            nodes.math("", "b"),
            nodes.Text(", "),
            nodes.Text("c"),
        ],
        [nodes.Text("deviation ("), nodes.math("", "C"), nodes.Text("), ("), nodes.math("", "T"), nodes.Text(")")],
        [nodes.math("", "C")],
        [nodes.math("", "C"), nodes.emphasis("", "d")],
    ],
)
def test_the_sentence_is_left_as_it_was(parts):
    """Also where the same mark occurs twice in one paragraph."""
    sentence = "".join(part.astext() for part in parts)

    assert paragraph(*parts).astext() == sentence


def test_the_mark_is_kept_with_its_formula():
    result = paragraph(nodes.Text("by "), nodes.math("", "VC"), nodes.Text(". Then"))

    assert [child.astext() for child in result] == ["by ", "VC.", " Then"]
    assert result[1]["classes"] == ["nobr"]


def test_the_bracket_before_it_is_kept_with_its_formula():
    result = paragraph(nodes.Text("deviation ("), nodes.math("", "C"), nodes.Text(", one)"))

    assert [child.astext() for child in result] == ["deviation ", "(C,", " one)"]


def test_a_long_formula_may_break():
    result = paragraph(nodes.math("", "V C + T C + L (12 C^2 + 13 C)"), nodes.Text("."))

    assert [type(child) for child in result] == [nodes.math, nodes.Text]

"""Numbers in prose come from a lab or from a cited source; a typed one is found here."""

import json
import re
from dataclasses import astuple
from pathlib import Path

import pytest

from gpt_config import PRESETS

ROOT = Path(__file__).parent.parent
# Chosen, not measured: the values of the presets, the padding multiple, and the length of the samples in 4.1.
CHOSEN = {str(value) for config in PRESETS.values() for value in astuple(config)} | {"64", "100"}
MEASURED = re.compile(
    r"(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{3,}|\d+(?= ?(?:%|[kMGT]?B\b|million|billion|times\b|-fold)))(?!\w)"
)


# Blocks that are no prose: front matter, code, drawings, mathematics; then their counterparts within a line.
BLOCKS = (
    r"\A---\n.*?^---$",
    r"^(`{3,}|~{3,}|:{3,})\{(?:anywidget|literalinclude|math|labfigure|code-block)\}.*?^\1\s*$",
    r"^(`{3,}|~{3,})(?!\{).*?^\1\s*$",
    r"\$\$.*?\$\$",
    r"^:[\w-]+:.*?$|^\(.*?\)=$",
)
SPANS = r"\$[^$]+\$|\{[\w:]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)|<[^>]*>|\b4\.\d\b"  # the last: sections of the chapter


def typed_numbers(text: str) -> list[str]:
    """Numbers that look measured, in lines without a citation (a line is a sentence)."""
    for block in BLOCKS:
        text = re.sub(block, "", text, flags=re.DOTALL | re.MULTILINE)
    found = []
    for line in text.splitlines():
        if "{cite" not in line:
            found += [n for n in MEASURED.findall(re.sub(SPANS, "", line)) if n.replace(",", "") not in CHOSEN]
    return found


def sources() -> list:
    chapters = sorted((ROOT / "chapters").glob("*.md"))
    cases = [pytest.param(path.read_text(encoding="utf-8"), id=path.name) for path in chapters]
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
        texts += [cell["metadata"].get("mystnb", {}).get("figure", {}).get("caption", "") for cell in notebook["cells"]]
        cases.append(pytest.param("\n\n".join(texts), id=path.name))
    return cases


@pytest.mark.parametrize("text", sources())
def test_no_measured_number_is_typed(text):
    assert typed_numbers(text) == []


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("GPT-2 small has 124,439,808 parameters.", ["124,439,808"]),
        ("That is 31.0 % of all.", ["31.0"]),
        ("About 31 % of all.", ["31"]),
        ("It takes 124 MB.", ["124"]),
        ("A total of 1864.", ["1864"]),
        ("It grows 31 times.", ["31"]),
        ("It has {glue:text}`../notebooks/counting.ipynb::gpt2_unique:,` of them.", []),
        ("With $C = 8$ and `n_head=12` in section 4.2 there are 2 additions per block.", []),
        ("The default vocabulary is 50304, a multiple of 64.", []),
        ("The paper says 117M {cite:p}`radford2019`, or 175 billion.", []),
    ],
)
def test_a_typed_number_is_found_and_a_glued_one_is_not(sentence, found):
    assert typed_numbers(sentence) == found

"""Numbers in prose come from a lab or from a cited source; a typed one is found here."""

import json
import re
from dataclasses import astuple
from pathlib import Path

import pytest

from gpt_config import PRESETS

ROOT = Path(__file__).parent.parent
# Chosen, not measured: the values of the presets, two padding multiples, the length of the samples in 4.1, and the two
# standard deviations of GPT-2's code.
CHOSEN = {str(value) for config in PRESETS.values() for value in astuple(config)} | {"64", "128", "100", "0.02", "0.01"}
# Printed by the source that the same sentence cites.
CITED = {"32000"}
UNIT = r" ?(?:%|[kMGT]B\b|million|billion|times\b|-fold|×)| B\b|[MB] parameters"
WITH_UNIT = re.compile(rf"(?<![\w.,-])\d+(?:[.,]\d+)*(?={UNIT})")
BARE = re.compile(r"(?<![\w.-])(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d+\.\d+|\d{3,})(?!\w)")


# Blocks that are no prose: front matter, code, drawings, mathematics; then their counterparts within a line.
BLOCKS = (
    r"\A---\n.*?^---$",
    r"^(`{3,}|~{3,}|:{3,})\{(?:anywidget|literalinclude|math|labfigure|code-block)\}.*?^\1\s*$",
    r"^(`{3,}|~{3,})(?!\{).*?^\1\s*$",
    r"\$\$.*?\$\$",
    r"^:[\w-]+:.*?$|^\(.*?\)=$",
)
SPANS = rf"\{{[\w:]+\}}`[^`]*`|\]\([^)]*\)|<[^>]*>|\b4\.\d\b(?!{UNIT})"  # the last: sections of the chapter
CODE = re.compile(r"`([^`]*)`")


def typed_numbers(text: str, quotes: bool = False) -> list[str]:
    """Numbers that look measured; with ``quotes``, those in backticks are another author's."""
    for block in BLOCKS:
        text = re.sub(block, "", text, flags=re.DOTALL | re.MULTILINE)
    found = []
    for line in text.splitlines():
        allowed = CHOSEN | CITED if "{cite" in line else CHOSEN
        line = re.sub(SPANS, "", line)
        # Code is no prose, unless it is nothing but a number.
        line = CODE.sub(lambda m: m[1] if not quotes and re.fullmatch(r"[\d.,]+", m[1]) else "", line)
        found += WITH_UNIT.findall(line)
        found += [n for n in BARE.findall(WITH_UNIT.sub("", line)) if re.sub(r"[{,}]", "", n) not in allowed]
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
def test_no_measured_number_is_typed(text, request):
    # Section 4.5 writes the figures of the article that it examines in backticks.
    assert typed_numbers(text, quotes="[claims" in request.node.name) == []


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("GPT-2 small has 124,439,808 parameters.", ["124,439,808"]),
        ("That is 31.0 % of all.", ["31.0"]),
        ("About 31 % of all.", ["31"]),
        ("That is 4.2 % of all, and not section 4.2.", ["4.2"]),
        ("It takes 4.7 GB.", ["4.7"]),
        ("GPT-2 small has 124M parameters.", ["124"]),
        ("The large one is 31× larger.", ["31"]),
        ("It takes 124 MB.", ["124"]),
        ("A total of 1864.", ["1864"]),
        ("It grows 31 times.", ["31"]),
        ("It has {glue:text}`../notebooks/counting.ipynb::gpt2_unique:,` of them.", []),
        ("With $C = 8$ and `n_head=12` in section 4.2 there are 2 additions per block.", []),
        ("The default vocabulary is 50304, a multiple of 64.", []),
        ("The paper says 117M {cite:p}`radford2019`, or 175 billion.", ["175"]),
        ("With a vocabulary of 32,000 {cite:p}`rae2021`.", []),
        ("With a vocabulary of 32,000.", ["32,000"]),
        ("With one sequence, 48 % of the memory belongs to the batch.", ["48"]),
        ("It needs 16 GB, and 12 MB more.", ["16", "12"]),
        ("LLaMA-2 13B is a 13B model.", []),
        ("The first loss is $10.979$.", ["10.979"]),
        ("It has $124{,}439{,}808$, or `124,439,808`.", ["124{,}439{,}808", "124,439,808"]),
    ],
)
def test_a_typed_number_is_found_and_a_glued_one_is_not(sentence, found):
    assert typed_numbers(sentence) == found

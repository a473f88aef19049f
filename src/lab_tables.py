"""Tables of the labs, as Markdown that a notebook and the book both show."""

import re
from collections.abc import Iterable

from IPython.display import Markdown


def markdown_table(header: Iterable[str], rows: Iterable[Iterable]) -> Markdown:
    """A table with one line per row; whole numbers get thousands separators; columns of numbers stand right.

    Raises:
        ValueError: there are no rows, or a row has more or fewer cells than the header.
    """
    header = list(header)
    rows = [list(row) for row in rows]
    if not rows:
        raise ValueError(f"rows={rows!r} is empty; give at least one row")
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"row={row!r} has {len(row)} cells; the header has {len(header)}")
    texts = [[f"{cell:,}" if type(cell) is int else str(cell).replace("|", r"\|") for cell in row] for row in rows]
    is_number = [all(re.fullmatch(r"[-−]?[\d,.]+", text) for text in column) for column in zip(*texts, strict=True)]
    lines = [header, ["--:" if number else ":--" for number in is_number], *texts]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))

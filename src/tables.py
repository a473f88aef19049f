"""Tables of the labs, as Markdown that a notebook and the book both show."""

from collections.abc import Iterable

from IPython.display import Markdown


def markdown_table(header: Iterable[str], rows: Iterable[Iterable]) -> Markdown:
    """A table with one line per row; whole numbers get thousands separators and stand to the right.

    Raises:
        ValueError: a row has more or fewer cells than the header.
    """
    header = list(header)
    rows = [list(row) for row in rows]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"row={row!r} has {len(row)} cells; the header has {len(header)}")
    is_number = [all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    lines = [header, ["--:" if number else ":--" for number in is_number], *rows]
    return Markdown("\n".join("| " + " | ".join(_text(cell) for cell in line) + " |" for line in lines))


def _text(cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)

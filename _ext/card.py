"""The picture that is shown where someone shares a page: its title, drawn with the mark and the colours of the book."""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
MARGIN = 96
INDENT = 320
PAGE, INK, MUTED = "#fdfcfa", "#20242b", "#5a6270"
STREAM, MATRICES = "#7a8291", ("#3a78d8", "#1f8f74", "#d9601f")
MAX_LINES = 4


def draw_card(title: str, book: str, path: Path) -> None:
    """Write a PNG of 1200 x 630 pixels to path. A title of more than four lines ends in an ellipsis."""
    card = Image.new("RGB", SIZE, PAGE)
    draw = ImageDraw.Draw(card)
    _mark(draw)
    font = ImageFont.load_default(72)
    lines = _wrapped(title, font, SIZE[0] - INDENT - MARGIN)
    draw.multiline_text((INDENT, MARGIN - 12), "\n".join(lines), fill=INK, font=font, spacing=22)
    draw.text((INDENT, SIZE[1] - MARGIN), book, fill=MUTED, font=ImageFont.load_default(36), anchor="ls")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Few colours: a small file.
    card.quantize(64).save(path, optimize=True)


def _mark(draw: ImageDraw.ImageDraw) -> None:
    """The mark of the book, as in ``_static/logo.svg``: the residual stream, and the matrices that hang on it."""
    x, top, scale = MARGIN, MARGIN, 3.4
    draw.line((x, top, x, top + 56 * scale), fill=STREAM, width=12)
    for row, (width, colour) in enumerate(zip((20, 30, 40), MATRICES, strict=True)):
        y = top + (3 + 18 * row) * scale
        draw.line((x, y + 7 * scale, x + 8 * scale, y + 7 * scale), fill=STREAM, width=12)
        draw.rounded_rectangle((x + 8 * scale, y, x + (8 + width) * scale, y + 14 * scale), 3 * scale, fill=colour)


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], lines[MAX_LINES - 1] + " …"]

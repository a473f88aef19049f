"""The picture that is shown where someone shares a page: its title, drawn with the mark and the colours of the book."""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
MARGIN = 96
PAGE, INK, MUTED, LINE = "#fdfcfa", "#20242b", "#5a6270", "#3a78d8"
MAX_LINES = 4


def draw_card(title: str, book: str, path: Path) -> None:
    """Write a PNG of 1200 x 630 pixels to path. A title of more than four lines ends in an ellipsis."""
    card = Image.new("RGB", SIZE, PAGE)
    draw = ImageDraw.Draw(card)
    _stream(draw)
    font = ImageFont.load_default(72)
    lines = _wrapped(title, font, SIZE[0] - 3 * MARGIN)
    draw.multiline_text((2 * MARGIN, MARGIN - 12), "\n".join(lines), fill=INK, font=font, spacing=22)
    draw.text((2 * MARGIN, SIZE[1] - MARGIN), book, fill=MUTED, font=ImageFont.load_default(36), anchor="ls")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Few colours: a small file.
    card.quantize(64).save(path, optimize=True)


def _stream(draw: ImageDraw.ImageDraw) -> None:
    """A residual stream with two branches that return to it: the mark of the book."""
    x, width = MARGIN, 10
    draw.line((x, MARGIN, x, SIZE[1] - MARGIN), fill=LINE, width=width)
    for top in (170, 360):
        draw.line((x, top, x + 48, top, x + 48, top + 90, x, top + 90), fill=LINE, width=width, joint="curve")
        draw.ellipse((x - 16, top + 74, x + 16, top + 106), fill=PAGE, outline=LINE, width=6)


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], lines[MAX_LINES - 1] + " …"]

"""The figures of the labs, one function each, and the look they share.

A function takes measured numbers and returns a :class:`Figure`, which a notebook shows as its cell's value.
Ink is drawn in a sentinel colour that becomes ``currentColor``, so one drawing serves light and dark pages.
"""

import hashlib
import io
import re

import matplotlib
from matplotlib.figure import Figure as MatplotlibFigure

from palette import DATA_COLOURS

INK = "#010203"
WIDTH_INCHES = 4.8  # text stays readable when the drawing is scaled to a phone's width
LOOK = {
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.prop_cycle": matplotlib.cycler(color=DATA_COLOURS),
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",  # text stays text: selectable, and in the reader's font
    "svg.hashsalt": "gpt-config-book",  # the same drawing gives the same bytes
}


class Figure:
    """A finished drawing with its alternative text, shown as inline SVG, or as PNG where HTML is not allowed.

    The alternative text says in 10 to 30 words what is seen; the finding is the caption's.
    """

    def __init__(self, figure: MatplotlibFigure, alt: str):
        self.alt = alt
        with matplotlib.rc_context(LOOK):
            self.svg = _inline_svg(_saved(figure, "svg").decode(), alt)
            self.png = _saved(figure, "png")

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.svg, "image/png": self.png, "text/plain": repr(self)}


def canvas(height_inches: float, columns: int = 1, **options):
    """An empty figure in the book's look and its axes; use it inside ``matplotlib.rc_context(LOOK)``."""
    figure = MatplotlibFigure(figsize=(WIDTH_INCHES, height_inches))
    return figure, figure.subplots(1, columns, **options)


def _saved(figure: MatplotlibFigure, file_format: str) -> bytes:
    buffer = io.BytesIO()
    if file_format == "svg":
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    else:
        figure.savefig(buffer, format="png", dpi=144, facecolor="white", metadata={"Software": None})
    return buffer.getvalue()


def _inline_svg(svg: str, alt: str) -> str:
    """The <svg> element alone: named for screen readers, scalable, in the page's ink and font, with ids of its own."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<(metadata|style).*?</\1>\s*", "", svg, flags=re.DOTALL)  # a style here would apply to the page
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1; font-family: inherit", svg)

    referenced = set(re.findall(r"(?:url\(|href=\")#([^)\"]+)", svg))
    prefix = "f" + hashlib.sha256(alt.encode()).hexdigest()[:8]
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in referenced else "", svg)
    svg = re.sub(r"(url\(|href=\")#", rf"\1#{prefix}-", svg)

    svg = re.sub(r"\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}", svg)
    view_box = re.search(r'viewBox="[^"]+"', svg)[0]
    label = alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view_box} '
    opening += f'stroke-linejoin="round" role="img" aria-label="{label}" class="book-figure">'
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)

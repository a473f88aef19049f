"""The figures of the labs, one function each, and the look they share.

A function takes measured numbers and returns a :class:`Figure`, which a notebook shows as its cell's value.
Ink is drawn in a sentinel colour that becomes ``currentColor``, so one drawing serves light and dark pages.
"""

import hashlib
import io
import re

import matplotlib
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import FancyBboxPatch

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


def weight_deviations(ratios, errors, scaled):
    """Standard deviation of each weight over 0.02, with its error bar; ``scaled`` marks the projections into the stream."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.6)
        for marked, colour, label in ((False, DATA_COLOURS[0], "all other weights"), (True, DATA_COLOURS[1], "c_proj")):
            chosen = [i for i, s in enumerate(scaled) if s is marked]
            values, bars = [ratios[i] for i in chosen], [errors[i] for i in chosen]
            axes.errorbar(chosen, values, bars, fmt="o", markersize=3, linewidth=1.2, color=colour)
            axes.annotate(label, (len(ratios) - 0.4, values[-1]), color=colour, va="center")
        axes.set_xlim(-1, len(ratios) + 7)
        axes.set_xticks([])
        axes.set_ylim(0, 1.15)
        axes.set_yticks([0, 0.5, 1])
        axes.set_xlabel("the weights, in the order of the model")
        axes.set_ylabel("std / 0.02")
    alt = "Points with small error bars on two levels: projections into the stream low, all other weights at one."
    return Figure(figure, alt)


def four_rules(depths, measured, spread, theory):
    """Variance at the end of the stream against depth for each rule: points with error bars, and lines from theory.

    Args:
        depths: the values of L.
        measured, spread, theory: {rule: one number per depth}.
    """
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(3.4)
        for (rule, values), colour in zip(measured.items(), DATA_COLOURS, strict=False):
            axes.plot(depths, theory[rule], color=colour, linewidth=1.2)
            axes.errorbar(depths, values, spread[rule], fmt="o", markersize=4, linewidth=1.2, color=colour)
            axes.annotate(rule, (depths[-1] * 1.12, values[-1]), color=colour, va="center")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(depths[0] * 0.85, depths[-1] * 2.6)
        axes.set_xticks(depths, [str(depth) for depth in depths])
        axes.minorticks_off()
        axes.set_xlabel("depth L")
        axes.set_ylabel("variance after the last block")
    alt = "Four curves over depth: without scaling steeply rising, 1/√L and 1/√(2L) flat one above the other, 1/(2L) falling."
    return Figure(figure, alt)


def branch_increments(measured, theory):
    """Standard deviation that each branch adds, per layer: dots measured, lines from theory; {branch: values}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.8)
        for (branch, values), colour in zip(measured.items(), DATA_COLOURS, strict=False):
            layers = range(1, len(values) + 1)
            axes.plot(layers, theory[branch], color=colour, linewidth=1.2)
            axes.plot(layers, values, "o", markersize=3, color=colour)
            axes.annotate(branch, (len(values) + 1, theory[branch][-1]), color=colour, va="center")
        axes.set_xlim(0, len(values) * 1.3)
        axes.set_xticks([1, *range(12, len(values) + 1, 12)])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("layer")
        axes.set_ylabel("std of the increment")
    alt = "The MLP's dots lie on a level line; the attention's start low and rise along a curve, still below the MLP's."
    return Figure(figure, alt)


def attention_by_position(positions, measured, theory):
    """Variance of the first and the last attention increment at each position; {layer label: values}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.8)
        for (label, values), colour in zip(measured.items(), DATA_COLOURS, strict=False):
            axes.plot(positions, values, "o", markersize=2.5, color=colour)
            axes.plot(positions, theory[label], color=colour, linewidth=1.2)
            axes.annotate(label, (positions[-1] * 1.15, theory[label][-1]), color=colour, va="center")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(0.9, positions[-1] * 5)
        axes.set_xticks([1, 4, 16, 64], ["1", "4", "16", "64"])
        axes.minorticks_off()
        axes.set_xlabel("position t")
        axes.set_ylabel("variance of the increment")
    alt = "In the first layer the variance falls with position like one over t; in the last layer more slowly."
    return Figure(figure, alt)


# The two branches of a block: the text in each box, and the name of its measured output.
_BRANCHES = (
    (
        ("ln_1", "ln_1"),
        ("c_attn", "c_attn"),
        ("split into heads", "q, k, v"),
        ("softmax(q kᵀ / √d)", "weights"),
        ("weights · v", "heads"),
        ("join heads", "joined"),
        ("c_proj", "attn.c_proj"),
    ),
    (("ln_2", "ln_2"), ("c_fc", "c_fc"), ("GELU", "gelu"), ("c_proj", "mlp.c_proj")),
)


def block_diagram(shapes: dict[str, tuple[int, ...]], symbols: dict[int, str]) -> Figure:
    """One block, top to bottom, with a shape on every edge and two additions on the straight residual stream.

    Args:
        shapes: the measured shape of every output named in ``_BRANCHES``, and of ``"stream"``.
        symbols: what a number in a shape stands for; no number stands for two things.
    """
    step, box_height, box_width = 0.56, 0.27, 1.62  # inches, as all coordinates here
    stream_x, box_x, height = 0.45, 2.0, 8.1
    arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
    thick = {**arrow, "color": DATA_COLOURS[0], "linewidth": 3.2, "mutation_scale": 18}

    def write_shape(x: float, y: float, name: str) -> None:
        axes.text(x, y, "(" + ", ".join(symbols[n] for n in shapes[name]) + ")", va="center")
        axes.text(x + 1.08, y, " × ".join(map(str, shapes[name])), va="center", fontsize=9, alpha=0.75)

    def draw_box(y: float, text: str) -> None:
        colour = DATA_COLOURS[2] if text.startswith("c_") else DATA_COLOURS[3] if text.startswith("ln_") else INK
        corner = (box_x - box_width / 2, y - box_height)
        shape = {"boxstyle": "round,pad=0,rounding_size=0.06", "fill": False, "edgecolor": colour, "linewidth": 1.6}
        axes.add_patch(FancyBboxPatch(corner, box_width, box_height, **shape))
        axes.text(box_x, y - box_height / 2, text, ha="center", va="center")

    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(height)
        axes.set(xlim=(0, WIDTH_INCHES), ylim=(-height, 0))
        axes.axis("off")
        axes.annotate("", (stream_x, -height + 0.05), (stream_x, -0.05), arrowprops=thick)
        y = -0.25
        for branch in _BRANCHES:
            write_shape(stream_x + 0.2, y, "stream")
            fork, y = y - 0.25, y - 0.46
            axes.plot(stream_x, fork, "o", markersize=5, color=DATA_COLOURS[0])
            axes.plot([stream_x, box_x], [fork, fork], color=INK, linewidth=1.0)
            axes.annotate("", (box_x, y), (box_x, fork), arrowprops=arrow)
            for text, name in branch:
                draw_box(y, text)
                write_shape(box_x + 0.12, y - (step + box_height) / 2, name)
                if name != branch[-1][1]:
                    axes.annotate("", (box_x, y - step), (box_x, y - box_height), arrowprops=arrow)
                y -= step
            axes.plot([box_x, box_x], [y, y + step - box_height], color=INK, linewidth=1.0)
            axes.annotate("", (stream_x + 0.15, y), (box_x, y), arrowprops=arrow)
            axes.plot(stream_x, y, "o", markersize=19, color=DATA_COLOURS[0])
            axes.text(stream_x, y - 0.01, "+", color="#ffffff", fontsize=17, ha="center", va="center_baseline")
            y -= 0.3
        write_shape(stream_x + 0.2, y, "stream")
    alt = "A straight residual stream. A copy passes attention and is added; a second copy passes the MLP and is added."
    return Figure(figure, f"{alt} Every edge has its shape.")


def padding_samples(lengths: list[int], measured: list[float], share: float) -> Figure:
    """Percentage of samples that hold a padding id, against their length.

    Args:
        lengths: tokens per sample.
        measured: percentage of drawn samples, one for each length.
        share: probability of a padding id at one position, for the line 1 - (1 - share)^n.
    """
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.6)
        grid = range(1, lengths[-1] + 1)
        axes.plot(grid, [100 * (1 - (1 - share) ** n) for n in grid])
        axes.plot(lengths, measured, "o", color=DATA_COLOURS[1])
        axes.text(lengths[-1] * 0.45, 100 * (1 - (1 - share) ** (lengths[-1] * 0.35)), "1 − (1 − share)ⁿ")
        axes.set(xlabel="tokens in a sample, n", ylabel="% with a padding id", ylim=(0, None), xlim=(0, None))
        axes.set_xticks([0, *lengths])
    return Figure(figure, "A curve that rises from zero with the length of the sample; measured dots lie on it.")


def six_counts(counts: dict[str, int]) -> Figure:
    """One bar per convention, in millions; counts: {convention: parameters} of one model."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.7)
        names, values = list(counts), [count / 1e6 for count in counts.values()]
        axes.barh(names, values, height=0.55)
        axes.invert_yaxis()
        for row, count in enumerate(counts.values()):
            axes.text(count / 1e6 + 2, row, f"{count:,}", va="center", fontsize=9)
        axes.set(xlabel="million parameters", xlim=(0, 225), xticks=range(0, 151, 50))
        axes.tick_params(axis="y", length=0)
    return Figure(figure, "Six horizontal bars for one model: one near 163 million, two near 124, three near 85.")


def part_shares(shares: dict[str, dict[str, float]]) -> Figure:
    """One bar per model, cut into the parts of its unique parameters; shares: {model: {part: percentage}}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(3.2)
        for row, parts in enumerate(shares.values()):
            left = 0.0
            for (part, share), colour in zip(parts.items(), DATA_COLOURS, strict=False):
                axes.barh(row, share, left=left, height=0.4, color=colour)
                if share >= 5:  # thinner parts have no room for a number
                    axes.text(left + share / 2, row - 0.25, f"{share:.0f}", ha="center", va="bottom", fontsize=9)
                if share >= 5 and row == 0:
                    axes.text(left + share / 2, -0.6, part.replace(" ", "\n"), color=colour, ha="center", va="bottom")
                left += share
        axes.set_yticks(range(len(shares)), list(shares))
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel="% of unique parameters", xlim=(0, 100), ylim=(len(shares) - 0.6, -1.35))
        axes.spines["left"].set_visible(False)
    return Figure(figure, "Four stacked bars from the smallest to the largest GPT-2: the token table shrinks, attention and MLP grow.")

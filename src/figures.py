"""The figures of the labs, one function each, and the look they share.

A function takes measured numbers and returns a :class:`Figure`, which a notebook shows as its cell's value.
Ink is drawn in a sentinel colour that becomes ``currentColor``, so one drawing serves light and dark pages.
"""

import hashlib
import io
import re
from functools import partial

import matplotlib
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import FancyBboxPatch, Rectangle

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

    The alternative text says in 10 to 40 words what is seen; the finding is the caption's.
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


def canvas(height_inches: float, columns: int = 1, rows: int = 1, **options):
    """An empty figure in the book's look and its axes; use it inside ``matplotlib.rc_context(LOOK)``."""
    figure = MatplotlibFigure(figsize=(WIDTH_INCHES, height_inches))
    return figure, figure.subplots(rows, columns, **options)


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

    # Coordinates stand within tags; what is written between them is to be read, and stays.
    shortened = partial(re.sub, r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}")
    svg = re.sub(r"<[^>]+>", lambda tag: shortened(tag[0]), svg)
    view_box = re.search(r'viewBox="[^"]+"', svg)[0]
    label = alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view_box} '
    opening += f'stroke-linejoin="round" role="img" aria-label="{label}" class="book-figure">'
    return re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)


def weight_deviations(ratios, errors, scaled):
    """Standard deviation of each weight over its target, with error bars; ``scaled`` marks the scaled projections."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.6)
        axes.axhline(1, color=INK, linewidth=0.8)
        for marked, colour in ((False, DATA_COLOURS[0]), (True, DATA_COLOURS[1])):
            chosen = [i for i, s in enumerate(scaled) if s is marked]
            values, bars = [ratios[i] for i in chosen], [errors[i] for i in chosen]
            axes.errorbar(chosen, values, bars, fmt="o", markersize=4, linewidth=1.4, color=colour)
        where = {"transform": axes.transAxes, "va": "top"}
        axes.text(0.02, 0.98, "target 0.02", color=DATA_COLOURS[0], **where)
        axes.text(0.98, 0.98, "target 0.02/√(2L)", color=DATA_COLOURS[1], ha="right", **where)
        axes.set_xticks([])
        axes.set_ylim(0.975, 1.025)
        axes.set_yticks([0.98, 0.99, 1, 1.01, 1.02])
        axes.set_xlabel("the weights, in the order of the model")
        axes.set_ylabel("measured / target")
    alt = "Points of two colours with error bars scatter around a line at one, all within two per cent."
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
    alt = "Four curves over depth: without scaling steeply rising, 1/√L and 1/√(2L) flat, 1/(2L) falling below them."
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
    parts = [{part.replace(" ", "\n"): share for part, share in of_model.items()} for of_model in shares.values()]
    figure = _stacked_shares(list(shares), parts, 3.2, bar=0.4, lift=0.25, heading=-0.6, top=-1.35)
    alt = "Four stacked bars from the smallest to the largest GPT-2: the token table shrinks, attention and MLP grow."
    return Figure(figure, alt)


def squares(models: dict[str, tuple[int, dict[str, float]]]) -> Figure:
    """Each model as columns of twelve squares of C × C; models: {name: (L, {part: squares in the whole model})}.

    A block is one column: the MLP's squares below, the attention's on top. A table fills columns of the same height.
    """
    column, gap = 12, 0.25
    with matplotlib.rc_context(LOOK):
        figure, drawings = canvas(3.2, columns=1, rows=len(models))
        widest = max(sum(parts.values()) / column for _, parts in models.values()) * (1 + gap) + 2
        for axes, (name, (layers, parts)) in zip(drawings, models.items(), strict=True):
            x = 0.0
            for part, colour in (("token embedding", DATA_COLOURS[0]), ("position embedding", DATA_COLOURS[1])):
                left = parts[part]
                while left > 0:
                    height = min(left, column)
                    axes.add_patch(Rectangle((x, 0), 1, height, color=colour, linewidth=0))
                    left -= height
                    x += 1 + gap
            table = f"token table {parts['token embedding']:.1f} squares"
            axes.text(0, column + 0.5, table, color=DATA_COLOURS[0], fontsize=9)
            mlp, attention = parts["MLP"] / layers, parts["attention"] / layers
            for _ in range(layers):
                axes.add_patch(Rectangle((x, 0), 1, mlp, color=DATA_COLOURS[3], linewidth=0))
                axes.add_patch(Rectangle((x, mlp), 1, attention, color=DATA_COLOURS[2], linewidth=0))
                x += 1 + gap
            has_room = x < widest / 2
            beside = x if has_room else x - gap
            axes.text(beside, column + 0.5, f"{layers} blocks", ha="left" if has_room else "right", fontsize=9)
            if has_room:
                axes.text(x, mlp / 2, f"MLP {mlp:.0f} in each block", color=DATA_COLOURS[3], va="center", fontsize=9)
                where = mlp + attention / 2
                axes.text(x, where, f"attention {attention:.0f}", color=DATA_COLOURS[2], va="center", fontsize=9)
            axes.text(0, column + 3.4, name, fontsize=10)
            axes.set(xlim=(0, widest), ylim=(0, column + 5), aspect="equal")
            axes.axis("off")
    alt = "Columns of equal height for two models: a small one with six columns of token table beside twelve blocks,"
    return Figure(figure, f"{alt} a large one with three beside forty-eight.")


def shares_across_families(shares: dict[str, dict[str, float]]) -> Figure:
    """One bar per model of several families, cut into four groups of parts; shares: {model: {part: percentage}}."""
    groups = {
        "token table,\nhead": ("token embedding", "output head"),
        "positions,\nnorms": ("position embedding", "LayerNorm", "RMSNorm"),
        "attention": ("attention",),
        "MLP": ("MLP",),
    }
    parts = [
        {group: sum(of_model.get(part, 0.0) for part in members) for group, members in groups.items()}
        for of_model in shares.values()
    ]
    figure = _stacked_shares(list(shares), parts, 4.4, bar=0.42, lift=0.23, heading=-0.62, top=-1.6)
    alt = "Stacked bars for nine models. The token table shrinks from a third to almost nothing; the MLP grows"
    return Figure(figure, f"{alt} to two thirds, and to four fifths in LLaMA.")


def _stacked_shares(models, parts, height_inches, *, bar, lift, heading, top) -> MatplotlibFigure:
    """One bar per model, cut into its parts, which are named above the first; parts: one {name: percentage} per model.

    Args:
        bar: thickness of a bar; rows are 1 apart.
        lift: from the middle of a bar to the number above it.
        heading: where the names stand.
        top: upper end of the drawing.
    """
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(height_inches)
        for row, shares in enumerate(parts):
            left = 0.0
            for (name, share), colour in zip(shares.items(), DATA_COLOURS, strict=False):
                axes.barh(row, share, left=left, height=bar, color=colour)
                if share >= 5:  # thinner parts have no room for a number
                    axes.text(left + share / 2, row - lift, f"{share:.0f}", ha="center", va="bottom", fontsize=9)
                if share >= 5 and row == 0:
                    axes.text(left + share / 2, heading, name, color=colour, ha="center", va="bottom")
                left += share
        axes.set_yticks(range(len(models)), models)
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel="% of unique parameters", xlim=(0, 100), ylim=(len(models) - 0.6, top))
        axes.spines["left"].set_visible(False)
    return figure


def article_sum(steps: dict[str, int]) -> Figure:
    """A waterfall: each step {label: parameters} is drawn from where the one before it ended."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(3.0)
        end = 0.0
        for row, (label, step) in enumerate(steps.items()):
            start, end = end, end + step / 1e6
            left = min(start, end)
            colour = DATA_COLOURS[0] if step > 0 else DATA_COLOURS[1]
            axes.barh(row, max(start, end) - left, left=left, height=0.5, color=colour)
            axes.plot((end, end), (row + 0.25, row + 1.25), color=INK, linewidth=0.6)
            axes.text(max(start, end) + 2, row, f"{step:+,}".replace("-", "−"), va="center", fontsize=9)
            axes.text(-2, row, label, va="center", ha="right")
        axes.text(end, len(steps) + 0.3, f"{sum(steps.values()):,}", ha="center", va="top", fontsize=9)
        axes.set(xlabel="million parameters", xlim=(0, 215), ylim=(len(steps) + 0.9, -0.5), yticks=[])
        axes.set_xticks(range(0, 201, 50))
        axes.spines["left"].set_visible(False)
    alt = "Seven bars placed end to end: up to 162 million in three steps, back by 39 million, then up by very little."
    return Figure(figure, alt)


def attention_entropy(divisors: list[float], entropies: list[float], limit: float) -> Figure:
    """Entropy of attention, in nats, against the divisor of its scores; limit: the entropy of equal weights."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.8)
        axes.plot(divisors, entropies, "o-", markersize=5)
        axes.axhline(limit, color=INK, linestyle="--", linewidth=0.8)
        axes.text(divisors[0], limit + 0.12, "equal attention to all keys", va="bottom", fontsize=9)
        for index, label in ((3, "√64"), (5, "√768")):
            axes.plot(divisors[index], entropies[index], "o", markersize=9, color=DATA_COLOURS[1])
            axes.text(divisors[index], entropies[index] - 0.45, label, color=DATA_COLOURS[1], ha="center", va="top")
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
        axes.set(xlabel="scores divided by", ylabel="entropy, nats", ylim=(0, limit + 0.8))
    alt = "A curve rises with the divisor towards a dashed limit; the square root of 768 lies almost on the limit."
    return Figure(figure, alt)


def gradient_directions(cosines: dict[str, list[float]]) -> Figure:
    """Cosine between the gradient at each depth and at the last block's output; cosines: {label: one per depth}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.6)
        for (label, curve), colour, above in zip(cosines.items(), DATA_COLOURS, (True, False), strict=False):
            axes.plot(range(len(curve)), curve, "o-", color=colour, markersize=4)
            depth = len(curve) // 2
            offset = 0.09 if above else 0.06
            axes.text(depth, curve[depth] + offset, label, color=colour, ha="right" if above else "center", va="bottom")
        axes.set(xlabel="blocks passed", ylabel="cosine with the end", ylim=(-0.08, 1.05))
        axes.set_xticks(range(0, len(curve), 2))
    alt = "Two curves over depth: one climbs steadily to one, the other stays at zero until the last block."
    return Figure(figure, alt)


def vocabulary_intervals(intervals: dict[str, range], marked: int) -> Figure:
    """One bar per model over the vocabularies that give its printed size, and a line at the vocabulary ``marked``."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.5)
        low = max(interval.start for interval in intervals.values())
        high = min(interval.stop for interval in intervals.values())
        axes.axvspan(low, high, color=DATA_COLOURS[1], alpha=0.25, linewidth=0)
        for row, interval in enumerate(intervals.values()):
            axes.barh(row, len(interval), left=interval.start, height=0.4, color=DATA_COLOURS[0])
        axes.axvline(marked, color=DATA_COLOURS[1])
        top = axes.get_xaxis_transform()
        axes.text(marked, 1.02, f"V = {marked:,}", color=DATA_COLOURS[1], ha="center", va="bottom", transform=top)
        axes.set_yticks(range(len(intervals)), list(intervals))
        axes.tick_params(axis="y", length=0)
        axes.set(xlabel="vocabulary V", ylim=(len(intervals) - 0.5, -0.6), xlim=(39_700, 41_500))
        axes.set_xticks([40_000, 40_500, 41_000, 41_500], ["40,000", "40,500", "41,000", "41,500"])
        axes.spines["left"].set_visible(False)
    alt = "Four overlapping horizontal bars; a shaded band where all overlap has a vertical line near its left edge."
    return Figure(figure, alt)


def doubling_table(ratios):
    """What doubling a symbol multiplies each cost by, as a table of cells; {cost: {symbol: ratio}}."""
    symbols = list(next(iter(ratios.values())))
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.7)
        for row, by_symbol in enumerate(ratios.values()):
            for column, ratio in enumerate(by_symbol.values()):
                strength = 0.45 * (ratio - 1) / 3  # 1 is blank, 4 the strongest
                cell = (column - 0.47, row - 0.44), 0.94, 0.88
                axes.add_patch(matplotlib.patches.Rectangle(*cell, color=DATA_COLOURS[0], alpha=strength, linewidth=0))
                axes.text(column, row, "1" if ratio == 1 else f"{ratio:.2f}", ha="center", va="center")
        axes.set_xlim(-0.5, len(symbols) - 0.5)
        axes.set_ylim(len(ratios) - 0.5, -0.5)
        axes.set_xticks(range(len(symbols)), [f"2{symbol}" for symbol in symbols])
        axes.set_yticks(range(len(ratios)), list(ratios))
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
    alt = "Table of factors: seven costs as rows, doubled V, T, L, C, H and B as columns; darker cells grow more."
    return Figure(figure, alt)


def training_memory(parts):
    """Memory of one training step for several batch sizes, as stacked bars; {batch size: {part: gigabytes}}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.9)
        for row, by_part in enumerate(parts.values()):
            left = 0.0
            for size, colour in zip(by_part.values(), DATA_COLOURS, strict=False):
                axes.barh(row, size, left=left, color=colour, height=0.6)
                left += size
            axes.annotate(f"{left:.1f} GB", (left, row), (5, 0), textcoords="offset points", va="center")
        axes.set_ylim(len(parts) - 0.4, -0.6)
        axes.set_xlim(0, left * 1.2)
        axes.set_yticks(range(len(parts)), [f"B = {batch}" for batch in parts])
        axes.tick_params(left=False)
        axes.set_xlabel("gigabytes")
        for place, (part, colour) in enumerate(zip(by_part, DATA_COLOURS, strict=False)):
            axes.text(0.98, 0.95 - 0.1 * place, part, color=colour, transform=axes.transAxes, ha="right", va="top")
    alt = "Stacked bars for three batch sizes: weights, gradients and Adam stay the same, activations and logits grow."
    return Figure(figure, alt)


def attention_memory(lengths, measured, grid, formulas):
    """Megabytes that one block keeps: points measured at ``lengths``, lines by formula on ``grid``; {kind: values}."""
    with matplotlib.rc_context(LOOK):
        figure, axes = canvas(2.8)
        for (kind, values), colour in zip(measured.items(), DATA_COLOURS, strict=False):
            axes.plot(grid, formulas[kind], color=colour, linewidth=1.2)
            axes.plot(lengths, values, "o", markersize=4, color=colour)
            axes.annotate(kind, (lengths[-1] * 1.02, values[-1]), color=colour, va="center")
        axes.set_xlim(0, lengths[-1] * 1.35)
        axes.set_ylim(bottom=0)
        axes.set_xticks(lengths[1:])
        axes.set_xlabel("sequence length T")
        axes.set_ylabel("kept by one block, MB")
    alt = "Two curves over sequence length: explicit attention bends upwards, fused attention is straight and lower."
    return Figure(figure, alt)


def training_curves(losses):
    """Training loss against the step, one panel per depth; {depth: {rule: (mean, spread) over seeds, per step}}."""
    with matplotlib.rc_context(LOOK):
        figure, panels = canvas(2.8, columns=len(losses), sharey=True)
        for axes, (depth, by_rule) in zip(panels, losses.items(), strict=True):
            for (mean, spread), colour in zip(by_rule.values(), DATA_COLOURS, strict=False):
                steps = range(1, len(mean) + 1)
                axes.fill_between(steps, mean - spread, mean + spread, color=colour, alpha=0.3, linewidth=0)
                axes.plot(steps, mean, color=colour, linewidth=1.4)
            axes.set_xlabel(f"step, L = {depth}")
            axes.set_xticks([1, len(mean) // 2, len(mean)])
        for place, (rule, colour) in enumerate(zip(by_rule, DATA_COLOURS, strict=False)):
            axes.text(0.98, 0.97 - 0.11 * place, rule, color=colour, transform=axes.transAxes, ha="right", va="top")
        panels[0].set_ylabel("loss, nats per character")
    alt = "Falling loss curves in two panels: at two layers both rules coincide, at twelve unscaled stays higher."
    return Figure(figure, alt)

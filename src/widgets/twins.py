"""The static twin of each widget: what stands in the page without JavaScript and on paper.

A twin is made from the state that the widget starts with, so both say the same.
"""

import re
from dataclasses import replace
from html import escape

import costs
from gpt_config import PRESETS, GPTConfig, divisors
from sizing import CONVENTIONS, SHAPE_TABLE, count_by_part, count_parameters, dimensions
from widgets.page import table_html
from widgets.state import ATTENTION, BYTES_PER_PARAMETER


def calculator(state: dict) -> str:
    """The presets under each of the counting conventions, and the parts and bytes of the configuration shown."""
    config = GPTConfig(**state["config"])
    names = list(CONVENTIONS)
    counts = [
        table_html(
            f"Parameters of known configurations, counted as {', '.join(three)}",
            ["configuration", *three],
            [[name, *(f"{count_parameters(preset, c):,}" for c in three)] for name, preset in PRESETS.items()],
        )
        for three in (names[:3], names[3:])  # six columns of such numbers would be wider than paper
    ]
    unique = count_parameters(config)
    parts = [[part, f"{n:,}", percent(n, unique)] for part, n in count_by_part(config).items() if n]
    who = [[name, _code(convention.used_by)] for name, convention in CONVENTIONS.items()]
    weights = [[use, str(size), f"{size * unique:,}"] for use, size in BYTES_PER_PARAMETER]
    return "\n".join(
        (
            *counts,
            table_html("Who counts like this", ["count", "used by"], who),
            table_html(f"Parts of {config_text(config)}", ["part", "unique parameters", "share"], parts),
            table_html("Bytes for these parameters", ["what is kept", "bytes each", "bytes"], weights),
        )
    )


def walk(state: dict) -> str:
    """Every step with the shape of its result, in symbols and in numbers, and the parameters up to there."""
    config = GPTConfig(**state["config"])
    dims = {**dimensions(config), "B": state["batch_size"], "H": config.n_head, "d": config.head_width}
    entries = {entry.name: entry for entry in SHAPE_TABLE}
    rows, tally = [], 0
    for step in state["data"]["steps"]:
        symbols = ", ".join(f"{factor if factor > 1 else ''}{symbol}" for factor, symbol in step["shape"])
        numbers = ", ".join(f"{factor * dims[symbol]}" for factor, symbol in step["shape"])
        copies = f"{step['copies']} × " if step["copies"] > 1 else ""
        used = [entries[name] for name in step["tensors"] if config.bias or not entries[name].bias]
        count = sum(entry.count(dims) for entry in used)
        tally += sum(e.count(dims) * (config.n_layer if e.per_layer else 1) for e in used if not e.tied_to)
        code = f"<code>{escape(step['code'])}</code>"
        rows.append([code, f"{copies}({symbols})", f"{copies}({numbers})", f"{count:,}", f"{tally:,}"])
    caption = f"A forward pass through one block, B = {dims['B']}, {config_text(config)}"
    head = ["step", "shape", "in numbers", "parameters used", f"so far, {config.n_layer} blocks"]
    return table_html(caption, head, rows)


def heads(state: dict) -> str:
    """The divisors of the width as numbers of heads, with what changes and what does not."""
    config = GPTConfig(**state["config"])
    rows = [
        [str(count), str(config.n_embd // count), _attention_matrix(config), f"{count * config.block_size**2:,}"]
        for count in divisors(config.n_embd)
    ]
    caption = f"Every number of heads that fits C = {config.n_embd}, T = {config.block_size}"
    head = ["heads H", "head width d", "parameters of c_attn.weight", "numbers in the T × T maps"]
    return table_html(caption, head, rows)


def training(state: dict) -> str:
    """The memories at the peak and the arithmetic of one step, with both kinds of attention."""
    config, batch_size = GPTConfig(**state["config"]), state["batch_size"]
    kinds = [kind == "explicit" for kind in ATTENTION]
    peaks = [costs.peak(config, batch_size, explicit) for explicit in kinds]
    flops = [costs.evaluate(costs.training_flops(explicit), config, batch_size) for explicit in kinds]
    rows = [[name, "bytes", *(f"{peak.parts[name]:,}" for peak in peaks)] for name in peaks[0].parts]
    rows.append(["all of them", "bytes", *(f"{peak.total_bytes:,}" for peak in peaks)])
    rows.append(["arithmetic", "FLOPs", *(f"{amount:,}" for amount in flops)])
    sequences = f"{batch_size} sequence" + "s" * (batch_size > 1)
    caption = f"The peak of one training step of {config_text(config)} with {sequences} of {config.block_size} tokens"
    table = table_html(caption, ["what is needed", "unit", *ATTENTION.values()], rows)
    when = "; ".join(f"with {kind}, when {peak.moment}" for kind, peak in zip(ATTENTION.values(), peaks, strict=True))
    return f"{table}\n<p>The peak comes, {when}.</p>"


def trimming(state: dict) -> str:
    """The count after trimming, for each kept length that halves the table and the one shown."""
    config = GPTConfig(**state["config"])
    T = config.block_size
    kept = sorted({T, state["kept"], *(n for n in (T - 1, T // 2, T // 4, 1) if n >= 1)}, reverse=True)
    whole = count_parameters(config)
    rows = []
    for n in kept:
        count = count_parameters(replace(config, block_size=n))
        gone = f"{n} to {T - 1}" if n < T else "none"
        rows.append([str(n), f"{whole - count:,}", percent(whole - count, whole), f"{count:,}", f"0 to {n - 1}", gone])
    head = ["rows kept n", "parameters removed", "share of all", "parameters left", "equal logits", "refused"]
    return table_html(f"Trimming the position table of {config_text(config)}", head, rows)


def residuals(state: dict) -> str:
    """First and last variance of every measured curve beside the theory."""
    curves = state["data"]["curves"]
    rows = []
    for rule in curves["rules"]:
        for depth in curves["depths"]:
            measured = curves["curves"][rule][str(depth)]
            theory = curves["theory"][rule][str(depth)]
            spread = f"{measured['mean'][-1]:.3g} ± {measured['std'][-1]:.2g}"
            rows.append([escape(rule), str(depth), f"{measured['mean'][0]:.3g}", spread, f"{theory[-1]:.3g}"])
    caption = (
        f"Variance of the residual stream at initialization, C = {curves['C']}: "
        f"mean and standard deviation over {curves['seeds']} seeds"
    )
    head = ["factor on c_proj", "layers L", "after the embeddings", "after the last addition", "theory"]
    return table_html(caption, head, rows)


def config_text(config: GPTConfig) -> str:
    """The configuration in the symbols of the book."""
    bias = "with biases" if config.bias else "without biases"
    return (
        f"V = {config.vocab_size}, T = {config.block_size}, L = {config.n_layer}, "
        f"H = {config.n_head}, C = {config.n_embd}, {bias}"
    )


def _attention_matrix(config: GPTConfig) -> str:
    entry = next(entry for entry in SHAPE_TABLE if entry.name.endswith("c_attn.weight"))
    return f"{entry.count(dimensions(config)):,}"


def percent(part: int, whole: int) -> str:
    """One decimal, and the first digit that is not 0 of what is smaller, down to a thousandth; HTML.

    In integers, and a tie is rounded up, so that ``percent`` of ``shared.mjs`` says the same.
    """
    if part == 0:
        return "0 %"
    if 100_000 * part < whole:
        return "&lt; 0.001 %"
    places = 1 if 1000 * part >= whole else 2 if 10_000 * part >= whole else 3
    rounded = (200 * part * 10**places + whole) // (2 * whole)
    share = rounded / 10**places
    return f"{share:.1f} %" if places == 1 else f"{share:g} %"


def _code(text: str) -> str:
    """Words between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))

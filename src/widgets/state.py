"""What each widget is handed: the values a reader can set, and the data it multiplies or draws.

A state is a dict of JSON values. ``data`` holds what never changes while a reader plays; every other key is a
trait of the widget of the same name in :mod:`widgets.live`. The counts come from ``sizing.SHAPE_TABLE``: a widget
multiplies that table and knows no formula. Nothing here imports torch or anywidget, so the book builds without them.
"""

import reprlib
from dataclasses import asdict

import costs
from gpt_config import PRESETS, GPTConfig, is_number
from sizing import CONVENTIONS, PARTS, SHAPE_TABLE, polynomial

LARGEST_VALUE = 10**9
"""Bound on what can be entered: far above every published model, and exact as a JSON number."""

BYTES_PER_PARAMETER = (
    ("weights in fp32", 4),
    ("weights in fp16 or bf16", 2),
    ("training with Adam in fp32: weight, gradient and two moments", 16),
)

ATTENTION = {"explicit": "attention matrices in memory", "fused": "fused attention"}

_POWERS_OF_TWO = [2**k for k in range(18)]
FIELDS = (
    {
        "symbol": "V",
        "field": "vocab_size",
        "label": "vocabulary",
        "stops": [7, 65, 256, 1000, 4096, 8192, 16384, 32000, 40478, 50257, 50304, 65536, 100277, 128256, 200019],
    },
    {"symbol": "T", "field": "block_size", "label": "block size", "stops": sorted([*_POWERS_OF_TWO, 6])},
    {"symbol": "L", "field": "n_layer", "label": "layers", "stops": list(range(1, 97))},
    # Sliders offer only pairs of H and C that fit: H among the divisors of C, C among multiples of H.
    {"symbol": "H", "field": "n_head", "label": "heads", "stops": []},
    {"symbol": "C", "field": "n_embd", "label": "width", "stops": []},
)
HEAD_WIDTHS = [1, 2, 3, 4, 6, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 512]

WALK = (
    # (key, label in the drawing, column, code, shape of the result, tensors used, what happens)
    ("ids", "token ids", "stream", "idx", "B T", (), "Each row is a sequence of T whole numbers."),
    (
        "embeddings",
        "wte + wpe",
        "stream",
        "x = wte(idx) + wpe(arange(T))",
        "B T C",
        ("transformer.wte.weight", "transformer.wpe.weight"),
        "Each id picks a row of the token table, each position a row of the position table; the two are added. "
        "The sum starts the residual stream.",
    ),
    (
        "ln_1",
        "ln_1",
        "branch",
        "ln_1(x)",
        "B T C",
        ("transformer.h.{i}.ln_1.weight", "transformer.h.{i}.ln_1.bias"),
        "A normalized copy of the stream enters the branch. The stream itself goes on unchanged.",
    ),
    (
        "c_attn",
        "c_attn",
        "branch",
        "c_attn(ln_1(x))",
        "B T 3C",
        ("transformer.h.{i}.attn.c_attn.weight", "transformer.h.{i}.attn.c_attn.bias"),
        "One matrix makes queries, keys and values of all heads in a single product.",
    ),
    (
        "split",
        "split",
        "branch",
        "q, k, v = qkv.split(C, dim=2)",
        "3 × B T C",
        (),
        "The last dimension is cut in three. Nothing is computed.",
    ),
    (
        "heads",
        "into heads",
        "branch",
        "q.view(B, T, H, C // H).transpose(1, 2)",
        "3 × B H T d",
        (),
        "The width C is cut into H pieces of d = C/H columns. From here to the merge each head works alone.",
    ),
    (
        "scores",
        "q kᵀ / √d",
        "branch",
        "(q @ k.transpose(-2, -1)) / sqrt(d)",
        "B H T T",
        (),
        "In each head every position meets every other one: a map of T × T numbers.",
    ),
    (
        "softmax",
        "mask, softmax",
        "branch",
        "softmax(scores.masked_fill(future, -inf), dim=-1)",
        "B H T T",
        (),
        "The future is masked. Each row becomes weights that sum to one.",
    ),
    (
        "values",
        "times v",
        "branch",
        "weights @ v",
        "B H T d",
        (),
        "Each position takes the weighted mean of the values it may see.",
    ),
    (
        "merge",
        "merge heads",
        "branch",
        "y.transpose(1, 2).reshape(B, T, C)",
        "B T C",
        (),
        "The H pieces are laid side by side again.",
    ),
    (
        "attn.c_proj",
        "c_proj",
        "branch",
        "attn.c_proj(y)",
        "B T C",
        ("transformer.h.{i}.attn.c_proj.weight", "transformer.h.{i}.attn.c_proj.bias"),
        "A square matrix mixes what the heads found.",
    ),
    (
        "attn.add",
        "+",
        "stream",
        "x = x + attn(ln_1(x))",
        "B T C",
        (),
        "First addition of the block. The shape must be that of the stream.",
    ),
    (
        "ln_2",
        "ln_2",
        "branch",
        "ln_2(x)",
        "B T C",
        ("transformer.h.{i}.ln_2.weight", "transformer.h.{i}.ln_2.bias"),
        "Again a normalized copy, with scale and shift of its own.",
    ),
    (
        "c_fc",
        "c_fc",
        "branch",
        "c_fc(ln_2(x))",
        "B T 4C",
        ("transformer.h.{i}.mlp.c_fc.weight", "transformer.h.{i}.mlp.c_fc.bias"),
        "Each position by itself is widened to 4C.",
    ),
    ("gelu", "gelu", "branch", "gelu(h)", "B T 4C", (), "The only nonlinearity of the MLP, and there is one of it."),
    (
        "mlp.c_proj",
        "c_proj",
        "branch",
        "mlp.c_proj(h)",
        "B T C",
        ("transformer.h.{i}.mlp.c_proj.weight", "transformer.h.{i}.mlp.c_proj.bias"),
        "Back to the width of the stream.",
    ),
    (
        "mlp.add",
        "+",
        "stream",
        "x = x + mlp(ln_2(x))",
        "B T C",
        (),
        "Second addition of the block. The next block starts from here, with the same shape.",
    ),
    (
        "ln_f",
        "ln_f",
        "stream",
        "ln_f(x)",
        "B T C",
        ("transformer.ln_f.weight", "transformer.ln_f.bias"),
        "After the last block the stream is normalized once more.",
    ),
    (
        "lm_head",
        "lm_head",
        "stream",
        "lm_head(x)",
        "B T V",
        ("lm_head.weight",),
        "One logit for each row of the vocabulary. The matrix is the token table again, used a second time.",
    ),
)


def calculator(config="gpt2") -> dict:
    """The parameter calculator. ``config``: a preset's name, a dict of fields, or a GPTConfig."""
    return {"config": _config(config), "data": _counting_data()}


def walk(config="gpt2", batch_size: int = 1, step: int = 0) -> dict:
    """The walk through a forward pass: ``batch_size`` sequences of T tokens; ``step`` counts from 0."""
    keys = ("key", "label", "column", "code", "shape", "tensors", "text")
    steps = [dict(zip(keys, row, strict=True)) for row in WALK]
    for entry in steps:
        copies, entry["shape"] = _parse_shape(entry["shape"])
        entry["copies"] = copies
    names = [t.name for t in SHAPE_TABLE]
    unknown = [name for entry in steps for name in entry["tensors"] if name not in names]
    if unknown:
        raise ValueError(f"the walk names tensors that the shape table does not have: {', '.join(unknown)}")
    _require_between("batch_size", batch_size, 1, LARGEST_VALUE)
    _require_between("step", step, 0, len(steps) - 1)
    data = {**_counting_data(), "steps": steps}
    return {"config": _config(config), "batch_size": batch_size, "step": step, "data": data}


def heads(config="gpt2") -> dict:
    """The head splitter."""
    return {"config": _config(config), "data": _counting_data()}


def trimming(config="small test", kept: int = 4) -> dict:
    """Trimming the position table of ``config`` to its first ``kept`` rows."""
    fields = _config(config)
    _require_between("kept", kept, 1, fields["block_size"])
    return {"config": fields, "kept": kept, "data": _counting_data()}


def training(config="gpt2", batch_size: int = 1, attention: str = "explicit") -> dict:
    """What a training step needs: ``batch_size`` sequences of T tokens, ``attention`` one of ``ATTENTION``.

    Raises:
        ValueError: a value describes nothing, or the configuration has dropout, whose masks are not counted.
    """
    _require_between("batch_size", batch_size, 1, LARGEST_VALUE)
    if attention not in list(ATTENTION):  # a list also answers for what has no hash
        raise ValueError(f"attention={attention!r} is not known; use one of {', '.join(ATTENTION)}")
    data = {**_counting_data(), "attention": ATTENTION, "costs": {kind: _step_costs(kind) for kind in ATTENTION}}
    return {
        "config": training_fields(_gpt_config(config)),
        "batch_size": batch_size,
        "attention": attention,
        "data": data,
    }


def residuals(curves: dict, depth: int | None = None, rule: str | None = None) -> dict:
    """The residual explorer. ``curves``: what the initialization lab measured, see :func:`check_curves`."""
    check_curves(curves)
    depth = curves["depths"][-1] if depth is None else depth
    rule = curves["rules"][0] if rule is None else rule
    if depth not in curves["depths"]:
        raise ValueError(f"depth={depth!r} was not measured; use one of {', '.join(map(str, curves['depths']))}")
    if rule not in curves["rules"]:
        raise ValueError(f"rule={rule!r} was not measured; use one of {', '.join(curves['rules'])}")
    return {"depth": depth, "rule": rule, "data": {"curves": curves}}


def check_curves(curves: dict) -> None:
    """Refuse measured curves that are incomplete.

    The form is ``{"depths": [2, …], "rules": ["none", …], "seeds": 5, "C": …, "curves": {rule: {depth: {"mean": […],
    "std": […]}}}, "theory": {rule: {depth: […]}}}``; a list holds the variance of the stream after the embeddings and
    after each of the 2L additions, so 2L + 1 numbers.

    Raises:
        ValueError: a key is missing, or what lies under it is something else.
    """
    keys = ("depths", "rules", "seeds", "C", "curves", "theory")
    if not isinstance(curves, dict):
        raise ValueError(f"curves={reprlib.repr(curves)} is not valid; use a dict with {', '.join(keys)}")
    missing = [key for key in keys if key not in curves]
    if missing:
        raise ValueError(f"curves lack {', '.join(missing)}")
    depths, rules = curves["depths"], curves["rules"]
    if not isinstance(depths, list) or not depths or not all(type(depth) is int and depth > 0 for depth in depths):
        raise ValueError(f"curves['depths']={depths!r} is not valid; use a list of integers of at least 1")
    if not isinstance(rules, list) or not rules or not all(isinstance(rule, str) for rule in rules):
        raise ValueError(f"curves['rules']={rules!r} is not valid; use a list of names")
    for rule in rules:
        for depth in depths:
            for path in (
                ("curves", rule, str(depth), "mean"),
                ("curves", rule, str(depth), "std"),
                ("theory", rule, str(depth)),
            ):
                _require_numbers(curves, path, 2 * depth + 1)


def _require_numbers(curves: dict, path: tuple[str, ...], count: int) -> None:
    """Refuse curves in which no list of ``count`` numbers lies under these keys, each inside the one before."""
    name, value = "curves", curves
    for key in path:
        if not isinstance(value, dict) or key not in value:
            raise ValueError(f"{name}={reprlib.repr(value)} is not valid; use a dict with {key!r}")
        name, value = f"{name}[{key!r}]", value[key]
    if not isinstance(value, list) or len(value) != count or not all(map(is_number, value)):
        raise ValueError(f"{name}={reprlib.repr(value)} is not valid; use a list of {count} numbers")


def config_fields(config: GPTConfig) -> dict:
    """The seven fields as JSON values.

    Raises:
        ValueError: a field exceeds ``LARGEST_VALUE``.
    """
    fields = asdict(config)
    for field in FIELDS:
        _require_between(field["field"], fields[field["field"]], 1, LARGEST_VALUE)
    return fields


def training_fields(config: GPTConfig) -> dict:
    """The seven fields of a configuration whose training step is counted.

    Raises:
        ValueError: it has dropout, or a field exceeds ``LARGEST_VALUE``.
    """
    if config.dropout:
        raise ValueError(f"dropout={config.dropout!r} is not counted here; use 0.0")
    return config_fields(config)


def _step_costs(attention: str) -> dict:
    """For biases on (``"true"``) and off (``"false"``): what is held, the moments that compete, and the arithmetic."""
    explicit = attention == "explicit"
    return {str(bias).lower(): _step_cost(bias, explicit) for bias in (True, False)}


def _step_cost(bias: bool, explicit: bool) -> dict:
    return {
        "held": [{"name": name, "terms": _terms(terms)} for name, terms in costs.held(bias).items()],
        "moments": [
            {
                "name": moment.name,
                "terms": _terms(moment.terms),
                "parts": [{"name": name, "terms": _terms(terms)} for name, terms in moment.parts.items()],
            }
            for moment in costs.moments(bias, explicit)
        ],
        "flops": _terms(costs.training_flops(explicit)),
    }


def _terms(polynomial: costs.Polynomial) -> list:
    """A polynomial as a list of [coefficient, symbols], largest degree first."""
    return [[polynomial[symbols], list(symbols)] for symbols in sorted(polynomial, key=len, reverse=True)]


def _config(config) -> dict:
    return config_fields(_gpt_config(config))


def _gpt_config(config) -> GPTConfig:
    if isinstance(config, str):
        if config not in PRESETS:
            raise ValueError(f"config={config!r} is not a preset; use one of {', '.join(PRESETS)}")
        config = PRESETS[config]
    if isinstance(config, dict):
        known = list(asdict(GPTConfig()))
        unknown = [str(name) for name in config if name not in known]
        if unknown:
            raise ValueError(f"config has no field {', '.join(unknown)}; its fields are {', '.join(known)}")
        config = GPTConfig(**config)
    if not isinstance(config, GPTConfig):
        raise ValueError(f"config={config!r} is not valid; use the name of a preset, a dict of fields or a GPTConfig")
    return config


def _counting_data() -> dict:
    table = [asdict(tensor) for tensor in SHAPE_TABLE]
    conventions = [
        {
            "name": name,
            "used_by": convention.used_by,
            "rows": [i for i, tensor in enumerate(SHAPE_TABLE) if convention.includes(tensor)],
        }
        for name, convention in CONVENTIONS.items()
    ]
    terms = {
        str(bias).lower(): [[coefficient, list(symbols)] for symbols, coefficient in polynomial(bias).items()]
        for bias in (True, False)
    }
    return {
        "fields": list(FIELDS),
        "head_widths": HEAD_WIDTHS,
        "largest": LARGEST_VALUE,
        "presets": {name: config_fields(config) for name, config in PRESETS.items()},
        "table": table,
        "parts": list(PARTS),
        "conventions": conventions,
        "terms": terms,
        "bytes_per_parameter": list(BYTES_PER_PARAMETER),
    }


def _parse_shape(text: str) -> tuple[int, list]:
    """``"3 × B T 4C"`` as (3, [[1, "B"], [1, "T"], [4, "C"]])."""
    copies, _, shape = text.rpartition(" × ")
    return int(copies or 1), [[int(word[:-1] or 1), word[-1]] for word in shape.split()]


def _require_between(name: str, value, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name}={value!r} is not valid; use an integer from {low:,} to {high:,}")

"""Every mechanical statement of sections 4.1 to 4.4, of trimming and of head count, checked on the real model.

``python -m verify_mechanics`` prints one line for each statement, writes ``mechanics.json`` into the current folder
and exits with 1 if a statement does not hold.
"""

import contextlib
import io
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from gpt import GPT, Block, explicit_attention
from gpt_config import PRESETS, GPTConfig
from residuals import measure_stream, rescale_projections
from sizing import CONVENTIONS, count_parameters, decay_split, padded_vocab_size, parameter_table

TINY = PRESETS["small test"]
GPT2 = PRESETS["gpt2"]


@dataclass(frozen=True)
class Check:
    """A statement of the book, with the value it claims and the value that was measured."""

    section: str
    key: str
    statement: str
    expected: object
    measured: object

    @property
    def holds(self) -> bool:
        return self.expected == self.measured


def unique_params(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def seeded(config: GPTConfig, seed: int = 0, **options) -> GPT:
    torch.manual_seed(seed)
    return GPT(config, **options)


def meta_model(config: GPTConfig) -> GPT:
    with torch.device("meta"):
        return GPT(config)


def checkpoint_bytes(model: nn.Module) -> int:
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.tell()


def section_4_1() -> Iterator[tuple]:
    """From a configuration to matrices."""
    yield "padded", "smallest multiple of 64 that is at least 50257", 50304, padded_vocab_size(50257, 64)
    yield "nearest", "nearest multiple of 64 to 50257, too small", 50240, round(50257 / 64) * 64

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        model = seeded(TINY)
    yield "constructor_output", "characters the constructor prints", 0, len(printed.getvalue())
    yield (
        "children",
        "children of the transformer",
        ["wte", "wpe", "drop", "h", "ln_f"],
        list(dict(model.transformer.named_children())),
    )
    yield "buffers", "buffers in the model", 0, len(list(model.buffers()))
    for bias in (True, False):
        config = replace(TINY, bias=bias)
        entries = [(name, tuple(tensor.shape)) for name, tensor in GPT(config).state_dict().items()]
        table = [(row.name, row.shape) for row in parameter_table(config)]
        yield f"state_dict_bias_{bias}", f"the state dict is the shape table, bias={bias}", table, entries

    blocks = [Block(TINY), Block(TINY)]
    holder = nn.Module()
    holder.h = blocks
    yield "plain_list", "parameters found in a plain list of blocks", 0, unique_params(holder)
    holder.h = nn.ModuleList(blocks)
    yield "module_list", "parameters found in a ModuleList of the same blocks", 2 * 872, unique_params(holder)

    shapes = _shapes_in_forward(seeded(TINY, explicit_attention=True), torch.zeros(3, 6, dtype=torch.int64))
    for key, statement, shape in (
        ("shape_stream", "residual stream (B, T, C)", (3, 6, 8)),
        ("shape_qkv", "q, k, v side by side (B, T, 3C)", (3, 6, 24)),
        ("shape_heads", "one of q, k, v in heads (B, H, T, d)", (3, 2, 6, 4)),
        ("shape_scores", "attention scores (B, H, T, T)", (3, 2, 6, 6)),
        ("shape_hidden", "inside the MLP (B, T, 4C)", (3, 6, 32)),
        ("shape_logits", "logits (B, T, V)", (3, 6, 7)),
    ):
        yield key, f"{statement} occurs in the forward pass", list(shape), list(shape) if shape in shapes else None

    x = torch.randn(2, 6, 8)
    c_attn = model.transformer.h[0].attn.c_attn
    yield (
        "storage",
        "a Linear computes x Wᵀ + b with W stored (out, in)",
        True,
        torch.allclose(c_attn(x), x @ c_attn.weight.T + c_attn.bias),
    )
    c_proj = model.transformer.h[0].attn.c_proj.weight
    yield "square_c_proj", "attn.c_proj has the shape of its transpose", True, c_proj.shape == c_proj.T.shape
    yield "square_c_proj_values", "and other values", True, not torch.equal(c_proj, c_proj.T)

    wte, head = model.transformer.wte.weight, model.lm_head.weight
    yield (
        "tied",
        "token table and output matrix are one Parameter",
        True,
        wte is head and wte.data_ptr() == head.data_ptr(),
    )
    yield "tied_in_parameters", "times it occurs in parameters()", 1, sum(p is wte for p in model.parameters())
    in_state_dict = sum(t.data_ptr() == wte.data_ptr() for t in model.state_dict().values())
    yield "tied_in_state_dict", "times it occurs in state_dict()", 2, in_state_dict


def section_4_2() -> Iterator[tuple]:
    """Count it yourself."""
    model, bare = seeded(TINY), seeded(replace(TINY, bias=False))
    yield "tiny_unique", "parameters of the small test", 1864, unique_params(model)
    yield "tiny_without_positions", "what get_num_params() reports", 1816, model.get_num_params()
    yield "tiny_no_bias", "parameters of the small test without biases", 1680, unique_params(bare)
    yield "tiny_stored", "sum over its state dict", 1920, sum(t.numel() for t in model.state_dict().values())
    C = TINY.n_embd
    yield "block_no_bias", "one block without biases: 12C² + 2C", 12 * C * C + 2 * C, unique_params(Block(bare.config))
    yield "block_bias", "one block with biases: 12C² + 13C", 12 * C * C + 13 * C, unique_params(Block(TINY))

    configs = [
        GPTConfig(block_size=T, vocab_size=V, n_layer=L, n_head=2, n_embd=C, bias=bias)
        for V in (5, 9) for T in (3, 4) for L in (1, 3) for C in (2, 6) for bias in (True, False)
    ]  # fmt: skip
    agreeing = sum(count_parameters(config) == unique_params(GPT(config)) for config in configs)
    yield "grid", "configurations of a grid where formula and model agree", len(configs), agreeing

    gpt2 = meta_model(GPT2)
    measured = {
        "stored": sum(t.numel() for t in gpt2.state_dict().values()),
        "unique": unique_params(gpt2),
        "without positions": gpt2.get_num_params(),
        "without embeddings": unique_params(gpt2.transformer.h) + unique_params(gpt2.transformer.ln_f),
        "blocks": unique_params(gpt2.transformer.h),
        "block matrices": sum(p.numel() for p in gpt2.transformer.h.parameters() if p.dim() == 2),
    }
    for name in CONVENTIONS:
        key = "gpt2_" + name.replace(" ", "_")
        yield key, f"GPT-2 small, counted as “{name}”", count_parameters(GPT2, name), measured[name]

    default = meta_model(PRESETS["default"])
    decayed = [p.numel() for p in default.parameters() if p.dim() >= 2]
    others = [p.numel() for p in default.parameters() if p.dim() < 2]
    split = decay_split(default.config)
    yield "decayed", "elements of the tensors with two dimensions, V = 50304", split.decayed_params, sum(decayed)
    yield "decayed_tensors", "number of these tensors", split.decayed_tensors, len(decayed)
    yield "not_decayed", "elements of the vectors", split.other_params, sum(others)
    yield "not_decayed_tensors", "number of the vectors", split.other_tensors, len(others)


def section_4_3() -> Iterator[tuple]:
    """How the first values enter the residual stream."""
    config = GPTConfig(block_size=64, vocab_size=512, n_layer=3, n_head=4, n_embd=128)
    model = seeded(config)
    targets = {}
    for name, p in model.named_parameters():
        if p.dim() == 2:
            targets[name] = 0.02 / math.sqrt(2 * config.n_layer) if name.endswith("c_proj.weight") else 0.02
    parameters = dict(model.named_parameters())
    scaled = [name for name in targets if parameters[name].std() < 0.014]  # between 0.02 and 0.02/sqrt(6) = 0.008
    yield "scaled_tensors", "matrices drawn with a smaller std than 0.02, for L = 3", 2 * config.n_layer, len(scaled)
    near = [  # the standard error of a standard deviation from n values is std / sqrt(2n)
        name for name, std in targets.items()
        if abs(parameters[name].std().item() - std) < 5 * std / math.sqrt(2 * parameters[name].numel())
    ]  # fmt: skip
    yield "std", "matrices within 5 standard errors of their target", len(targets), len(near)
    vectors = {name: p for name, p in parameters.items() if p.dim() == 1}
    ones = [name for name, p in vectors.items() if ".ln_" in name and name.endswith("weight") and bool((p == 1).all())]
    zeros = [name for name, p in vectors.items() if name.endswith("bias") and bool((p == 0).all())]
    yield "vectors", "vectors that start at exactly 1 (scales) or 0 (biases)", len(vectors), len(ones) + len(zeros)

    visits = []
    model.apply(lambda module: visits.append(getattr(module, "weight", None) is model.transformer.wte.weight))
    yield "tied_visits", "times apply() reaches the tied matrix", 2, sum(visits)
    idx = torch.randint(config.vocab_size, (2, 64))
    model(idx, idx)[1].backward()
    yield (
        "tied_gradient",
        "and yet it has one gradient",
        True,
        model.transformer.wte.weight.grad is model.lm_head.weight.grad,
    )

    same, other = seeded(config), seeded(config, seed=1)
    first = next(model.parameters())
    yield "same_seed", "the same seed gives the same weights", True, torch.equal(first, next(same.parameters()))
    yield "other_seed", "another seed gives other weights", True, not torch.equal(first, next(other.parameters()))
    torch.manual_seed(0)
    torch.rand(1)
    yield (
        "other_order",
        "so does the same seed after one more draw",
        True,
        not torch.equal(first, next(GPT(config).parameters())),
    )

    deep = seeded(replace(config, n_layer=24))
    with_scaling = measure_stream(deep, idx)[-1].variance
    rescale_projections(deep, math.sqrt(2 * 24))
    without = measure_stream(deep, idx)[-1].variance
    yield (
        "stream",
        "at 24 layers the stream's last variance is more than 10 times larger without scaling",
        True,
        without > 10 * with_scaling,
    )


def section_4_4() -> Iterator[tuple]:
    """Changing the structure: which cost grows."""
    blocks = unique_params(meta_model(GPT2).transformer.h)
    matrices = count_parameters(GPT2, "block matrices")
    yield (
        "double_L",
        "L doubled: parameters of the blocks",
        2 * blocks,
        unique_params(meta_model(replace(GPT2, n_layer=24)).transformer.h),
    )
    wide = meta_model(replace(GPT2, n_embd=1536, n_head=24))
    yield (
        "double_C",
        "C doubled: elements of the block matrices",
        4 * matrices,
        sum(p.numel() for p in wide.transformer.h.parameters() if p.dim() == 2),
    )
    V, T, C = GPT2.vocab_size, GPT2.block_size, GPT2.n_embd
    total = count_parameters(GPT2)
    yield (
        "double_V",
        "V doubled: additional parameters VC",
        V * C,
        unique_params(meta_model(replace(GPT2, vocab_size=2 * V))) - total,
    )
    yield (
        "double_T",
        "T doubled: additional parameters TC",
        T * C,
        unique_params(meta_model(replace(GPT2, block_size=2 * T))) - total,
    )
    yield "double_H", "H doubled: additional parameters", 0, unique_params(meta_model(replace(GPT2, n_head=24))) - total

    idx = torch.zeros(2, 6, dtype=torch.int64)
    logits = {V: GPT(replace(TINY, vocab_size=V))(idx, idx)[0].numel() for V in (7, 14)}
    yield "double_V_logits", "V doubled: elements of the logits, as a ratio", 2.0, logits[14] / logits[7]
    scores = {}
    for T in (6, 12):
        q = torch.zeros(2, TINY.n_head, T, TINY.head_width)
        with _Shapes() as seen:
            explicit_attention(q, q, q)
        scores[T] = max(math.prod(shape) for shape in seen.shapes if shape[-2:] == (T, T))
    yield (
        "double_T_scores",
        "T doubled: elements of the explicit attention matrices, as a ratio",
        4.0,
        scores[12] / scores[6],
    )


def exercises() -> Iterator[tuple]:
    """Trimming, and the head count."""
    model = seeded(TINY)
    before, bytes_before, idx = unique_params(model), checkpoint_bytes(model), torch.randint(7, (3, 4))
    logits, _ = model(idx, idx)
    model.crop_block_size(4)
    trimmed, _ = model(idx, idx)
    yield "trim_fewer", "parameters fewer after trimming T from 6 to 4", 16, before - unique_params(model)
    yield "trim_block_size", "block size the model reports then", 4, model.config.block_size
    yield "trim_config", "block size in the caller's configuration", 6, TINY.block_size
    yield "trim_logits", "logits of the first four positions are bit-equal", True, torch.equal(logits, trimmed)
    yield (
        "trim_file",
        "the saved file is smaller by at least the 64 bytes of two rows",
        True,
        bytes_before - checkpoint_bytes(model) >= 64,
    )

    two, four = seeded(TINY), GPT(replace(TINY, n_head=4))
    yield "heads_more", "parameters more with 4 heads instead of 2", 0, unique_params(four) - unique_params(two)
    yield "heads_width", "width of a head before and after", [4, 2], [two.config.head_width, four.config.head_width]
    rescale_projections(two, 100)  # at the initial scale the branches are too small to tell the models apart
    for block in two.transformer.h:
        nn.init.normal_(block.attn.c_attn.weight)
    report = four.load_state_dict(two.state_dict())
    yield (
        "heads_load",
        "keys that strict loading into the other head count misses",
        0,
        len(report.missing_keys + report.unexpected_keys),
    )
    a, b = two(idx, idx)[0], four(idx, idx)[0]
    yield (
        "heads_first",
        "position 0, with one key to attend to, gives equal logits",
        True,
        torch.allclose(a[:, 0], b[:, 0], atol=1e-5),
    )
    yield "heads_later", "later positions do not", True, not torch.allclose(a[:, 1:], b[:, 1:], atol=1e-3)


class _Shapes(TorchFunctionMode):
    """Collects the shape of every tensor that a torch function returns."""

    def __init__(self):
        self.shapes = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, torch.Tensor):
                self.shapes.add(tuple(value.shape))
        return result


def _shapes_in_forward(model: GPT, idx: torch.Tensor) -> set[tuple[int, ...]]:
    with _Shapes() as seen:
        model(idx, idx)
    return seen.shapes


SECTIONS = {"4.1": section_4_1, "4.2": section_4_2, "4.3": section_4_3, "4.4": section_4_4, "exercises": exercises}


def run_checks() -> list[Check]:
    """Measure everything, in the order of the book."""
    return [Check(name, *values) for name, section in SECTIONS.items() for values in section()]


def main() -> int:
    checks = run_checks()
    for check in checks:
        verdict = "ok  " if check.holds else "FAIL"
        values = f"expected {_short(check.expected)}, measured {_short(check.measured)}"
        print(f"{verdict} {check.section:9} {check.statement}: {values}")
    Path("mechanics.json").write_text(
        json.dumps(
            {c.key: {"section": c.section, "statement": c.statement, "measured": c.measured} for c in checks},
            indent=1,
            ensure_ascii=False,
        )
        + "\n",
        encoding="utf-8",
    )
    failed = sum(not check.holds for check in checks)
    print(f"{len(checks) - failed} of {len(checks)} statements hold")
    return 1 if failed else 0


def _short(value: object) -> str:
    text = f"{value:,}" if type(value) is int else str(value)
    return text if len(text) <= 60 else f"{len(value)} entries, {text[:40]}…"


if __name__ == "__main__":
    sys.exit(main())

"""Counting: one symbolic table of shapes for each family of models, and everything that follows from it.

Symbols, as in the book: V vocabulary, T block size, L layers, H heads, C width.
``SHAPE_TABLE`` lists every entry of a GPT's state dict once, with its shape written as multiples of V, T and C.
Whatever the book says about sizes is computed from that table with integers; nothing here imports torch.
H does not occur in it: the heads share the width C.
``LLAMA_TABLE`` does the same for LLaMA, with two symbols more: F inner width of the MLP, K width of all key heads.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from gpt_config import GPTConfig, require_positive_int
from llama_config import LlamaConfig


@dataclass(frozen=True)
class Entry:
    """One entry of the symbolic table.

    Attributes:
        name: key in the state dict; ``{i}`` stands for the number of the layer.
        shape: (factor, symbol) for each dimension, in PyTorch's storage order: (out, in) for a Linear.
        part: what the tensor belongs to, one of ``PARTS`` or ``LLAMA_PARTS``.
        per_layer: occurs once in each of the L blocks.
        bias: exists only in a configuration with ``bias=True``.
        tied_to: name of the entry whose storage this one shares.
    """

    name: str
    shape: tuple[tuple[int, str], ...]
    part: str
    per_layer: bool = False
    bias: bool = False
    tied_to: str | None = None

    def monomial(self) -> tuple[int, tuple[str, ...]]:
        """The number of elements as (coefficient, symbols): (3, ("C", "C")) for a (3C, C) matrix."""
        coefficient = math.prod(factor for factor, _ in self.shape)
        return coefficient, tuple(symbol for _, symbol in self.shape)

    def count(self, dims: dict[str, int]) -> int:
        """The number of elements of one such tensor, for the value of each symbol."""
        return math.prod(factor * dims[symbol] for factor, symbol in self.shape)

    def shape_text(self) -> str:
        """The shape as it is written in the book: ``(3C, C)``."""
        return "(" + ", ".join(f"{'' if k == 1 else k}{symbol}" for k, symbol in self.shape) + ")"


PARTS = ("token embedding", "position embedding", "attention", "MLP", "LayerNorm", "output head")


def _linear(name: str, out_factor: int, in_factor: int, part: str) -> tuple[Entry, Entry]:
    return (
        Entry(f"{name}.weight", ((out_factor, "C"), (in_factor, "C")), part, per_layer=True),
        Entry(f"{name}.bias", ((out_factor, "C"),), part, per_layer=True, bias=True),
    )


def _norm(name: str, per_layer: bool = True) -> tuple[Entry, Entry]:
    return (
        Entry(f"{name}.weight", ((1, "C"),), "LayerNorm", per_layer),
        Entry(f"{name}.bias", ((1, "C"),), "LayerNorm", per_layer, bias=True),
    )


_TABLE = ((1, "V"), (1, "C"))
_BLOCK = "transformer.h.{i}"
SHAPE_TABLE = (
    Entry("transformer.wte.weight", _TABLE, "token embedding"),
    Entry("transformer.wpe.weight", ((1, "T"), (1, "C")), "position embedding"),
    *_norm(f"{_BLOCK}.ln_1"),
    *_linear(f"{_BLOCK}.attn.c_attn", 3, 1, "attention"),
    *_linear(f"{_BLOCK}.attn.c_proj", 1, 1, "attention"),
    *_norm(f"{_BLOCK}.ln_2"),
    *_linear(f"{_BLOCK}.mlp.c_fc", 4, 1, "MLP"),
    *_linear(f"{_BLOCK}.mlp.c_proj", 1, 4, "MLP"),
    *_norm("transformer.ln_f", per_layer=False),
    Entry("lm_head.weight", _TABLE, "output head", tied_to="transformer.wte.weight"),
)

LLAMA_PARTS = ("token embedding", "attention", "MLP", "RMSNorm", "output head")


def _in_block(name: str, part: str, *shape: str) -> Entry:
    return Entry(f"model.layers.{{i}}.{name}.weight", tuple((1, symbol) for symbol in shape), part, per_layer=True)


# Names as in the published checkpoints; Touvron et al. (2023), section 2.2.
LLAMA_TABLE = (
    Entry("model.embed_tokens.weight", _TABLE, "token embedding"),
    _in_block("self_attn.q_proj", "attention", "C", "C"),
    _in_block("self_attn.k_proj", "attention", "K", "C"),
    _in_block("self_attn.v_proj", "attention", "K", "C"),
    _in_block("self_attn.o_proj", "attention", "C", "C"),
    _in_block("mlp.gate_proj", "MLP", "F", "C"),
    _in_block("mlp.up_proj", "MLP", "F", "C"),
    _in_block("mlp.down_proj", "MLP", "C", "F"),
    _in_block("input_layernorm", "RMSNorm", "C"),
    _in_block("post_attention_layernorm", "RMSNorm", "C"),
    Entry("model.norm.weight", ((1, "C"),), "RMSNorm"),
    Entry("lm_head.weight", _TABLE, "output head"),
)


@dataclass(frozen=True)
class Convention:
    """A way to count, with the entries of a table that it includes; the formula is GPT-2's."""

    formula: str
    used_by: str
    includes: Callable[[Entry], bool]


CONVENTIONS = {
    "stored": Convention(
        "unique + VC",
        "the sum over a state dict, where the tied matrix stands under two names",
        lambda t: True,
    ),
    "unique": Convention(
        "VC + TC + L(12C² + 13C) + 2C",
        "`parameters()`, and most published totals",
        lambda t: t.tied_to is None,
    ),
    "without positions": Convention(
        "unique − TC",
        "`get_num_params()`, called non-embedding there although wte is in it",
        lambda t: t.tied_to is None and t.part != "position embedding",
    ),
    "without embeddings": Convention(
        "L(12C² + 13C) + 2C",
        "a total quoted as non-embedding",
        lambda t: t.part in ("attention", "MLP", "LayerNorm", "RMSNorm"),
    ),
    "blocks": Convention(
        "L(12C² + 13C)",
        "the L blocks alone, without ln_f",
        lambda t: t.per_layer,
    ),
    "block matrices": Convention(
        "12LC²",
        "scaling laws: what multiplies a token vector inside the blocks",
        lambda t: t.per_layer and len(t.shape) == 2,
    ),
}


@dataclass(frozen=True)
class Row:
    """One tensor in the state dict of a given configuration: its key, shape, size in elements, part and partner."""

    name: str
    shape: tuple[int, ...]
    count: int
    part: str
    tied_to: str | None


def dimensions(config: GPTConfig | LlamaConfig) -> dict[str, int]:
    """The value of each symbol of the table."""
    dims = {"V": config.vocab_size, "T": config.block_size, "L": config.n_layer, "C": config.n_embd}
    if isinstance(config, LlamaConfig):
        dims |= {"F": config.n_inner, "K": config.kv_width}
    return dims


def parameter_table(config: GPTConfig | LlamaConfig) -> list[Row]:
    """Every entry of the model's state dict, in its order, the tied head included."""
    dims = dimensions(config)
    rows = []
    for per_layer, group in groupby(_entries(config), key=lambda entry: entry.per_layer):
        entries = list(group)
        for layer in range(config.n_layer if per_layer else 1):
            for entry in entries:
                shape = tuple(factor * dims[symbol] for factor, symbol in entry.shape)
                rows.append(Row(entry.name.format(i=layer), shape, entry.count(dims), entry.part, entry.tied_to))
    return rows


def count_parameters(config: GPTConfig | LlamaConfig, convention: str = "unique") -> int:
    """The number of parameters of the model under one of ``CONVENTIONS``.

    Raises:
        ValueError: the convention has no such name.
    """
    return _count(config, _convention(convention).includes)


def count_by_part(config: GPTConfig | LlamaConfig) -> dict[str, int]:
    """Unique parameters of each part; a tied output head owns none. The values sum to the unique count."""
    parts = LLAMA_PARTS if isinstance(config, LlamaConfig) else PARTS
    return {part: _count(config, lambda t, part=part: t.part == part and t.tied_to is None) for part in parts}


def polynomial(
    bias: bool, convention: str = "unique", table: tuple[Entry, ...] = SHAPE_TABLE
) -> dict[tuple[str, ...], int]:
    """The count as a polynomial: {("V", "C"): 1, ("T", "C"): 1, ("L", "C", "C"): 12, ...}.

    Raises:
        ValueError: the convention has no such name.
    """
    terms = Counter()
    for entry in filter(_convention(convention).includes, table):
        if bias or not entry.bias:
            coefficient, symbols = entry.monomial()
            terms[("L",) * entry.per_layer + symbols] += coefficient
    return dict(terms)


@dataclass(frozen=True)
class DecaySplit:
    """Parameters that an optimizer usually decays (tensors of two or more dimensions) and those it does not."""

    decayed_params: int
    decayed_tensors: int
    other_params: int
    other_tensors: int


def decay_split(config: GPTConfig | LlamaConfig) -> DecaySplit:
    """Matrices VC + TC + 12LC² against vectors 13LC + 2C (with biases), each with its number of tensors."""
    unique = [p for p in parameter_table(config) if p.tied_to is None]
    matrices = [p.count for p in unique if len(p.shape) >= 2]
    vectors = [p.count for p in unique if len(p.shape) < 2]
    return DecaySplit(sum(matrices), len(matrices), sum(vectors), len(vectors))


def padded_vocab_size(n: int, multiple: int) -> int:
    """The smallest multiple of ``multiple`` that is at least n.

    Raises:
        ValueError: n or multiple is not an integer of at least 1.
    """
    require_positive_int("n", n)
    require_positive_int("multiple", multiple)
    return -(-n // multiple) * multiple


def _convention(name: str) -> Convention:
    if name not in CONVENTIONS:
        raise ValueError(f"convention={name!r} is not known; use one of {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]


def _entries(config: GPTConfig | LlamaConfig) -> list[Entry]:
    """The entries of the family's table that exist in this configuration."""
    if isinstance(config, LlamaConfig):
        return list(LLAMA_TABLE)
    return [entry for entry in SHAPE_TABLE if config.bias or not entry.bias]


def _count(config: GPTConfig | LlamaConfig, includes: Callable[[Entry], bool]) -> int:
    dims = dimensions(config)
    return sum(e.count(dims) * (config.n_layer if e.per_layer else 1) for e in filter(includes, _entries(config)))
